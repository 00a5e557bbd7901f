import { OptionError } from '@notewire/protocol'

type Fields = Readonly<Record<string, unknown>>

/** Whether a value is a Web `Request`, of any implementation, such as undici or `node-fetch`. */
export function isRequest(value: unknown): value is Request {
  const { method, url, headers } = fieldsOf(value)
  return typeof method === 'string' && typeof fieldsOf(headers)['get'] === 'function' && URL.canParse(String(url))
}

/** The error for what a framework passed to `fetch` of a receiver instead of a `Request`. */
export function notARequest(value: unknown): OptionError {
  return new OptionError('request', `receiver.fetch takes a Web Request, and was given ${fixFor(value)}`)
}

/** The error for a `Request` without the means to read its body, such as an object that a test made. */
export function unreadableRequest(): OptionError {
  return new OptionError(
    'request',
    'receiver.fetch was given a Request whose body cannot be read: body is no stream, and there is no arrayBuffer(). Pass the Web Request ' +
      'of your framework.',
  )
}

/**
 * Refuses what is no request and response of Node.js, before a handler runs.
 *
 * @throws OptionError with the adapter that takes what the framework passed
 */
export function requireNodeRequest(adapter: string, request: unknown, response: unknown): void {
  const { writeHead, end } = fieldsOf(response)
  if (isNodeRequest(request) && typeof writeHead === 'function' && typeof end === 'function') return
  const given = isNodeRequest(request) ? 'a request of Node.js without its response. Pass both.' : fixFor(request)
  throw new OptionError('request', `${adapter} takes a request and a response of Node.js, and was given ${given}`)
}

function fixFor(value: unknown): string {
  const { requestContext, httpMethod } = fieldsOf(value)
  const fix = fixForFramework(value)
  if (fix !== undefined) return fix
  if (typeof requestContext === 'object' || typeof httpMethod === 'string')
    return 'an event of AWS Lambda. Use lambdaHandler(receiver) of @notewire/webhooks/lambda.'
  return 'something else. Pass the Web Request of your framework to receiver.fetch, or mount the receiver with an adapter.'
}

/** What a framework has passed to its handler, and how a receiver is mounted there. `undefined` if it is of no known framework. */
export function fixForFramework(value: unknown): string | undefined {
  const { raw, req, request } = fieldsOf(value)
  if (isRequest(value))
    return 'a Web Request. Use receiver.fetch, or routeHandler(receivers) of @notewire/webhooks/next.'
  if (isRequest(raw) || isRequest(fieldsOf(req)['raw']))
    return "the context or request of Hono. Pass its Request: app.post('/webhooks/notes', (c) => receiver.fetch(c.req.raw))."
  if (isRequest(req)) return 'an object that contains one. Pass that: ({ req }) => receiver.fetch(req).'
  if (isRequest(request)) return 'an object that contains one. Pass that: ({ request }) => receiver.fetch(request).'
  if (isNodeRequest(raw)) return 'a request of Fastify. Register fastifyPlugin of @notewire/webhooks/fastify.'
  if (isNodeRequest(value) || isNodeRequest(req))
    return (
      'a request of Node.js. With node:http or Koa, use nodeHandler(receiver) of @notewire/webhooks/node; with Express, ' +
      'expressHandler(receiver) of @notewire/webhooks/express.'
    )
  return undefined
}

function isNodeRequest(value: unknown): boolean {
  const { method, headers, pipe } = fieldsOf(value)
  return typeof method === 'string' && typeof headers === 'object' && typeof pipe === 'function'
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

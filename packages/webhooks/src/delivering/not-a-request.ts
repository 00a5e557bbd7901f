import { OptionError } from '@notewire/protocol'

type Fields = Readonly<Record<string, unknown>>

/** Whether a value is a Web `Request`, of any implementation. */
export function isRequest(value: unknown): value is Request {
  const { method, url, headers } = fieldsOf(value)
  return typeof method === 'string' && typeof fieldsOf(headers)['get'] === 'function' && URL.canParse(String(url))
}

/** The error for what a framework passed to `fetch` of a receiver instead of a `Request`. */
export function notARequest(value: unknown): OptionError {
  return new OptionError('request', `receiver.fetch takes a Web Request, and was given ${fixFor(value)}`)
}

function fixFor(value: unknown): string {
  const { raw, req, request, requestContext } = fieldsOf(value)
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
  if (typeof requestContext === 'object')
    return 'an event of AWS Lambda. Use lambdaHandler(receiver) of @notewire/webhooks/lambda.'
  return 'something else. Pass the Web Request of your framework, or mount the receiver with an adapter.'
}

function isNodeRequest(value: unknown): boolean {
  const { method, headers, pipe } = fieldsOf(value)
  return typeof method === 'string' && typeof headers === 'object' && typeof pipe === 'function'
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Readable } from 'node:stream'
import type { RespondingReceivers } from '../receiver/receiver-interface.ts'
import { readNodeBody } from './node-body.ts'
import type { NodeRequest, NodeResponse } from './node-types.ts'

/** They do not describe a payload that a hook has put in place of the body, such as the decompressed body. */
const OF_THE_BODY_SENT = ['content-encoding', 'content-length']

/**
 * After the answer, the time until the connection of a sender that still sends its body is closed, in milliseconds. If the connection were
 * reset immediately, the answer could be lost.
 */
const LINGER_MS = 1_000

/** What a framework says about a request of `node:http`. */
export interface RequestDetails {
  /** The URL that the service requested, including the path at which the framework mounted the handler. */
  readonly url: string | undefined
  /** The id of the integration in the request, for the receivers of many integrations. */
  readonly integration: string | undefined
  /** The stream with the body, if the framework has put another one in place of the request. */
  readonly payload?: Readable | undefined
  /** Returns the bytes that a plugin of the framework has kept, if it has. Called when the body is read. */
  readonly keptByPlugin?: (() => unknown) | undefined
}

/** Answers a request of `node:http`, from a server or from a framework such as Express. */
export async function answerNodeRequest(
  receiver: RespondingReceivers,
  givenRequest: NodeRequest,
  givenResponse: NodeResponse,
  details: RequestDetails,
): Promise<void> {
  // The adapters have checked what they were given.
  const [request, response] = [givenRequest as IncomingMessage, givenResponse as ServerResponse]
  const { url = '/', integration, payload = request, keptByPlugin } = details
  const answer = await receiver.respond({
    method: request.method ?? '',
    path: pathOf(url),
    headers: headersOf(request, payload),
    integration,
    readBody: (maxBytes, deadline) => readNodeBody({ request, payload, keptByPlugin }, maxBytes, deadline),
    isAnswered: () => response.headersSent || response.writableEnded,
  })
  if (!request.complete) closeIfStillSending(request)
  // Nobody else reads the rest of a body that was refused.
  if (payload !== request) payload.resume()
  // Other code may have sent a response, which the receiver logs.
  if (response.destroyed || response.headersSent || response.writableEnded) return
  const { status, headers, body } = answer
  // A 204 must not have a Content-Length (RFC 9110, 8.6).
  response.writeHead(status, body === '' ? headers : { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

/** Tells the receiver of a request that other code has answered before the adapter could read the body. */
export async function reportAnswered(
  receiver: RespondingReceivers,
  { method = '', headers }: IncomingMessage,
  { url = '/', integration }: RequestDetails,
): Promise<void> {
  const readBody = async () => ({ status: 'incomplete' }) as const
  await receiver.respond({ method, path: pathOf(url), headers, integration, readBody, isAnswered: () => true })
}

// Proxies may send a whole URL as the request target (RFC 9112, 3.2.2).
function pathOf(target: string): string {
  return /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i.exec(target)?.[1] || '/'
}

// In HTTP/2, Node.js lists the pseudo-headers, such as `:method` and `:path`, among the headers.
function headersOf(request: IncomingMessage, payload: Readable): IncomingMessage['headers'] {
  const { headers, httpVersionMajor } = request
  const isReplaced = payload !== request
  if (httpVersionMajor < 2 && !isReplaced) return headers
  const isLeftOut = (name: string) => name.startsWith(':') || (isReplaced && OF_THE_BODY_SENT.includes(name))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isLeftOut(name)))
}

function closeIfStillSending(request: IncomingMessage & { readonly stream?: Partial<ServerHttp2Stream> }): void {
  request.resume()
  const closing = setTimeout(() => {
    // A stream of HTTP/2 stays open after its request is destroyed, and would receive more data.
    request.stream?.close?.()
    request.destroy()
  }, LINGER_MS)
  closing.unref()
  request.once('close', () => clearTimeout(closing))
}

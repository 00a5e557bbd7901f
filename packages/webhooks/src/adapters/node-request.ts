import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import { isBytes } from '@notewire/protocol'
import type { BodyDeadline, BodyReading } from '../delivering/attempt.ts'
import type { RespondingReceivers } from '../receiver/receiver-interface.ts'

/**
 * After the answer, the time until the connection of a sender that still sends its body is closed, in milliseconds. If the connection were
 * reset immediately, the answer could be lost.
 */
const LINGER_MS = 1_000

/**
 * Answers a request of `node:http`, from a server or from a framework such as Express.
 *
 * @param url  the URL that the service requested, including the path at which a framework mounted the handler
 * @param integration  the id of the integration in the request, for the receivers of many integrations
 */
export async function answerNodeRequest(
  receiver: RespondingReceivers,
  request: IncomingMessage,
  response: ServerResponse,
  url = '/',
  integration?: string,
): Promise<void> {
  const answer = await receiver.respond({
    method: request.method ?? '',
    path: pathOf(url),
    headers: headersOf(request),
    integration,
    readBody: (maxBytes, deadline) => readNodeBody(request, maxBytes, deadline),
  })
  if (!request.complete) closeIfStillSending(request)
  if (response.destroyed) return
  const { status, headers, body } = answer
  // A 204 must not have a Content-Length (RFC 9110, 8.6).
  response.writeHead(status, body === '' ? headers : { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

// Proxies may send a whole URL as the request target (RFC 9112, 3.2.2).
function pathOf(target: string): string {
  return /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i.exec(target)?.[1] || '/'
}

// In HTTP/2, Node.js lists the pseudo-headers, such as `:method` and `:path`, among the headers.
function headersOf({ headers, httpVersionMajor }: IncomingMessage): IncomingMessage['headers'] {
  if (httpVersionMajor < 2) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')))
}

function readNodeBody(request: IncomingMessage, maxBytes: number, deadline: BodyDeadline): Promise<BodyReading> {
  const kept = keptBytes(request)
  if (kept !== undefined) {
    return Promise.resolve(kept.length > maxBytes ? { status: 'too-large' } : { status: 'read', bytes: kept })
  }
  if (isConsumed(request)) return Promise.resolve({ status: 'already-parsed' })
  return readStream(request, maxBytes, deadline)
}

// Uses listeners, because iterating over the stream takes several times as much processor time as the rest of a delivery.
function readStream(request: IncomingMessage, maxBytes: number, deadline: BodyDeadline): Promise<BodyReading> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) finish({ status: 'too-large' })
      else chunks.push(chunk)
    }
    const finish = (reading: BodyReading) => {
      request.off('data', onData)
      resolve(reading)
    }
    const onEnd = () => {
      const [first] = chunks
      // Most bodies come in one chunk.
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length)
      finish({ status: 'read', bytes })
    }
    const onGone = () => request.readableEnded || finish({ status: 'incomplete' })
    // Node.js emits `close` after an error. Without a listener for `error`, the error would end the process.
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
    void deadline.passed.then(() => finish({ status: 'too-slow' }))
    // A body parser may have read an empty body, which leaves no other trace.
    if (request.readableEnded) onEnd()
    else if (request.destroyed) onGone()
    // A middleware may have paused the request.
    request.resume()
  })
}

/** The raw bytes, if a body parser kept them: in `req.rawBody` by convention, or in `req.body` after `express.raw()`. */
function keptBytes(request: IncomingMessage): Uint8Array | undefined {
  if ('rawBody' in request && isBytes(request.rawBody)) return request.rawBody
  if ('body' in request && isBytes(request.body)) return request.body
  return undefined
}

// A stream with an encoding emits text, not the bytes that were signed. If a stream has a listener for 'readable', that listener consumes
// the bytes with `read`, and the stream emits no 'data' event until then.
function isConsumed(request: IncomingMessage): boolean {
  return wasParsed(request) || request.readableEncoding !== null || request.listenerCount('readable') > 0
}

// Express 4 sets an empty object on requests that no parser has read.
function wasParsed(request: IncomingMessage): boolean {
  if (request.readableDidRead) return true
  if (!('body' in request)) return false
  const { body } = request
  return typeof body === 'string' ? body !== '' : typeof body === 'object' && Object.keys(body ?? {}).length > 0
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

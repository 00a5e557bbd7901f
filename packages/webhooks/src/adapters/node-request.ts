import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { BodyReading } from '../receiver/attempt.ts'
import type { RespondingReceiver } from '../receiver/receiver-interface.ts'
import { isBytes } from '../verifier/bytes.ts'

/** How long a sender may continue to send a body that the receiver does not read, so that it gets the answer and not a reset. */
const LINGER_MS = 1_000

/**
 * Answers a request of `node:http`, as Express and other frameworks pass it on.
 *
 * @param url  as the service requested it, mount points included
 * @param integration  the id of the integration that the request names, for a receiver of many
 */
export async function answerNodeRequest(
  receiver: RespondingReceiver,
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
    readBody: (maxBytes, timeUp) => readNodeBody(request, maxBytes, timeUp),
  })
  if (!request.complete) cutWhenStillSending(request)
  if (response.destroyed) return
  const { status, headers, body } = answer
  // A 204 must not tell a length (RFC 9110, 8.6).
  response.writeHead(status, body === '' ? headers : { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

// A request target may be a whole URL (RFC 9112, 3.2.2), as proxies send it.
function pathOf(target: string): string {
  return /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i.exec(target)?.[1] || '/'
}

// HTTP/2 puts `:method`, `:path` and the like among the headers, and they are none.
function headersOf({ headers, httpVersionMajor }: IncomingMessage): IncomingMessage['headers'] {
  if (httpVersionMajor < 2) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')))
}

function readNodeBody(request: IncomingMessage, maxBytes: number, timeUp: Promise<void>): Promise<BodyReading> {
  const kept = keptBytes(request)
  if (kept !== undefined) {
    return Promise.resolve(kept.length > maxBytes ? { status: 'too-large' } : { status: 'read', bytes: kept })
  }
  if (isTaken(request)) return Promise.resolve({ status: 'already-parsed' })
  return readStream(request, maxBytes, timeUp)
}

// By events, since iterating a stream costs several times what the rest of a delivery does.
function readStream(request: IncomingMessage, maxBytes: number, timeUp: Promise<void>): Promise<BodyReading> {
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
      resolve({ status: 'read', bytes })
    }
    const onGone = () => request.readableEnded || finish({ status: 'incomplete' })
    // An error is followed by `close`. Without a listener it would end the process.
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
    void timeUp.then(() => finish({ status: 'too-slow' }))
    if (request.destroyed) onGone()
    // A middleware may have paused it.
    request.resume()
  })
}

/** The raw bytes, where a parser kept them: `req.rawBody` by convention, `req.body` after `express.raw()`. */
function keptBytes(request: IncomingMessage): Uint8Array | undefined {
  if ('rawBody' in request && isBytes(request.rawBody)) return request.rawBody
  if ('body' in request && isBytes(request.body)) return request.body
  return undefined
}

// With an encoding set, the stream gives text: the bytes that were signed cannot be had from it. With a listener of
// 'readable', its bytes go to the caller of `read`, and no 'data' event comes until then.
function isTaken(request: IncomingMessage): boolean {
  return wasParsed(request) || request.readableEncoding !== null || request.listenerCount('readable') > 0
}

// Express 4 sets an empty object on requests that no parser has read.
function wasParsed(request: IncomingMessage): boolean {
  if (request.readableDidRead) return true
  if (!('body' in request)) return false
  const { body } = request
  return typeof body === 'string' ? body !== '' : typeof body === 'object' && Object.keys(body ?? {}).length > 0
}

function cutWhenStillSending(request: IncomingMessage): void {
  request.resume()
  const cut = setTimeout(() => {
    endHttp2Stream(request)
    request.destroy()
  }, LINGER_MS)
  cut.unref()
  request.once('close', () => clearTimeout(cut))
}

// It outlives a request that is destroyed, and takes what the sender goes on sending.
function endHttp2Stream(request: IncomingMessage & { readonly stream?: Partial<ServerHttp2Stream> }): void {
  request.stream?.close?.()
}

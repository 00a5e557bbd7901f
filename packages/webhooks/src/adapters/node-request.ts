import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyReading } from '../receiver/attempt.ts'
import { readCapped } from '../receiver/read-capped.ts'
import type { Receiver } from '../receiver/receiver.ts'

/** How long a sender may go on sending a body that nobody wants, so that it reads the answer instead of a reset. */
const LINGER_MS = 1_000

/**
 * Answers a request of `node:http`, as Express and other frameworks pass it on.
 *
 * @param url  as the service requested it, mount points included
 */
export async function answerNodeRequest(
  receiver: Receiver,
  request: IncomingMessage,
  response: ServerResponse,
  url = '/',
): Promise<void> {
  const answer = await receiver.respond({
    method: request.method ?? '',
    path: url.replace(/[?#].*$/s, ''),
    headers: request.headers,
    readBody: (maxBytes, signal) => readNodeBody(request, maxBytes, signal),
  })
  if (!request.complete) cutWhenStillSending(request)
  if (response.destroyed) return
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) })
  response.end(answer.body)
}

async function readNodeBody(request: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<BodyReading> {
  const kept = keptBytes(request)
  if (kept !== undefined) return kept.length > maxBytes ? { status: 'too-large' } : { status: 'read', bytes: kept }
  if (wasParsed(request)) return { status: 'already-parsed' }
  // Leaving the loop must not destroy the request: an answer is still to be written on its socket.
  const chunks: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false })
  const reading = await readCapped(chunks, maxBytes, signal)
  if (reading.status !== 'read') chunks.return?.().catch(() => undefined)
  return reading
}

/** The raw bytes, where a parser kept them: `req.rawBody` by convention, `req.body` after `express.raw()`. */
function keptBytes(request: IncomingMessage): Uint8Array | undefined {
  if ('rawBody' in request && request.rawBody instanceof Uint8Array) return request.rawBody
  if ('body' in request && request.body instanceof Uint8Array) return request.body
  return undefined
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
  const cut = setTimeout(() => request.destroy(), LINGER_MS)
  cut.unref()
  request.once('close', () => clearTimeout(cut))
}

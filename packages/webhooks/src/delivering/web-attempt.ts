import { isBytes } from '@notewire/protocol'
import type { Answer } from '../interfaces/answer.ts'
import type { BodyDeadline, BodyReading, IncomingAttempt } from './attempt.ts'
import { isRequest, notARequest, unreadableRequest } from './not-a-request.ts'

/**
 * A Web `Request` as an attempt.
 *
 * @throws OptionError if it is no `Request`, or one whose body cannot be read; the message names the fix for the framework
 */
export function attemptOf(request: Request): IncomingAttempt {
  if (!isRequest(request)) throw notARequest(request)
  if (!canReadBody(request)) throw unreadableRequest()
  return {
    method: request.method,
    path: new URL(request.url).pathname,
    headers: request.headers,
    readBody: (maxBytes, deadline) => readWebBody(request, maxBytes, deadline),
  }
}

export function responseOf(answer: Answer): Response {
  return new Response(answer.body === '' ? null : answer.body, { status: answer.status, headers: answer.headers })
}

async function readWebBody(request: Request, maxBytes: number, deadline: BodyDeadline): Promise<BodyReading> {
  const body = hostValue(request, 'body')
  if (hostValue(request, 'bodyUsed') === true || (isStream(body) && body.locked)) return { status: 'already-parsed' }
  if (body === null) return { status: 'read', bytes: new Uint8Array() }
  const reader = readerOf(request, body)
  const tooSlow = deadline.passed.then((): BodyReading => ({ status: 'too-slow' }))
  const reading = await Promise.race([readToEnd(reader, maxBytes), tooSlow])
  // Ends `readToEnd`, too. The cancellation fails if the connection is closed, which changes nothing.
  if (reading.status !== 'read') reader.cancel().catch(() => undefined)
  return reading
}

/** What `readToEnd` needs of a reader. Other implementations than the runtime's may return chunks of text. */
interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
  cancel(): Promise<unknown>
}

/** Reads a body of any implementation: `node-fetch` has a stream of Node.js, or a `Buffer`, and older polyfills have no stream at all. */
function readerOf(request: Request, body: unknown): BodyReader {
  if (isStream(body)) return body.getReader()
  const chunks = isIterable(body) ? body[Symbol.asyncIterator]() : wholeBody(request)
  return {
    read: async () => {
      const { done = false, value } = await chunks.next()
      return { done, value }
    },
    cancel: async () => chunks.return?.(),
  }
}

async function* wholeBody(request: Request): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await request.arrayBuffer())
}

function canReadBody(request: Request): boolean {
  if (typeof request.arrayBuffer === 'function') return true
  const body = hostValue(request, 'body')
  return body === null || isStream(body) || isIterable(body)
}

/** A property of a host's own class, which may throw. Then the body is read with `arrayBuffer()`. */
function hostValue(request: Request, name: 'body' | 'bodyUsed'): unknown {
  try {
    return request[name]
  } catch {
    return undefined
  }
}

function isStream(body: unknown): body is ReadableStream<unknown> {
  return typeof (body as Partial<ReadableStream> | null | undefined)?.getReader === 'function'
}

function isIterable(body: unknown): body is AsyncIterable<unknown> {
  return typeof (body as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator] === 'function'
}

/** Stops at the first byte over `maxBytes`, so that a large body takes no memory. */
async function readToEnd(reader: BodyReader, maxBytes: number): Promise<BodyReading> {
  let bytes = new Uint8Array(Math.min(4096, maxBytes))
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { status: 'read', bytes: bytes.subarray(0, length) }
      const chunk = typeof value === 'string' ? new TextEncoder().encode(value) : value
      if (!isBytes(chunk)) return { status: 'already-parsed' }
      const end = length + chunk.length
      if (end > maxBytes) return { status: 'too-large' }
      if (end > bytes.length) {
        const grown = new Uint8Array(Math.min(Math.max(end, bytes.length * 2), maxBytes))
        grown.set(bytes)
        bytes = grown
      }
      bytes.set(chunk, length)
      length = end
    }
  } catch {
    return { status: 'incomplete' }
  }
}

import type { Answer } from '../interfaces/answer.ts'
import type { BodyDeadline, BodyReading, IncomingAttempt } from './attempt.ts'
import { isRequest, notARequest } from './not-a-request.ts'

/**
 * A Web `Request` as an attempt.
 *
 * @throws OptionError if it is no `Request`; the message names the fix for the framework
 */
export function attemptOf(request: Request): IncomingAttempt {
  if (!isRequest(request)) throw notARequest(request)
  return {
    method: request.method,
    path: new URL(request.url).pathname,
    headers: request.headers,
    readBody: (maxBytes, deadline) => readWebBody(request, maxBytes, deadline),
  }
}

/** An answer as a Web `Response`. */
export function responseOf(answer: Answer): Response {
  return new Response(answer.body === '' ? null : answer.body, { status: answer.status, headers: answer.headers })
}

async function readWebBody(request: Request, maxBytes: number, deadline: BodyDeadline): Promise<BodyReading> {
  if (request.bodyUsed || request.body?.locked === true) return { status: 'already-parsed' }
  if (request.body === null) return { status: 'read', bytes: new Uint8Array() }
  const reader = request.body.getReader()
  const chunks = { next: async () => toIteratorResult(await reader.read()) }
  const reading = await readCapped(chunks, maxBytes, deadline.passed)
  // The cancellation fails if the connection is closed, which changes nothing.
  if (reading.status !== 'read') reader.cancel().catch(() => undefined)
  return reading
}

function toIteratorResult(result: ReadableStreamReadResult<Uint8Array>): IteratorResult<Uint8Array> {
  return result.done ? { done: true, value: undefined } : result
}

/**
 * Reads a body chunk by chunk and stops at the first byte over `maxBytes`, so that a large body takes no memory.
 */
function readCapped(chunks: AsyncIterator<Uint8Array>, maxBytes: number, timeUp: Promise<void>): Promise<BodyReading> {
  let late = false
  const tooSlow = timeUp.then((): BodyReading => {
    late = true
    return { status: 'too-slow' }
  })
  return Promise.race([readToEnd(chunks, maxBytes, () => late), tooSlow])
}

async function readToEnd(
  chunks: AsyncIterator<Uint8Array>,
  maxBytes: number,
  late: () => boolean,
): Promise<BodyReading> {
  let bytes = new Uint8Array(Math.min(4096, maxBytes))
  let length = 0
  try {
    while (!late()) {
      const next = await chunks.next()
      if (next.done === true) return { status: 'read', bytes: bytes.subarray(0, length) }
      const end = length + next.value.length
      if (end > maxBytes) return { status: 'too-large' }
      if (end > bytes.length) bytes = grown(bytes, Math.min(Math.max(end, bytes.length * 2), maxBytes))
      bytes.set(next.value, length)
      length = end
    }
    return { status: 'too-slow' }
  } catch {
    return { status: 'incomplete' }
  }
}

function grown(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size)
  larger.set(bytes)
  return larger
}

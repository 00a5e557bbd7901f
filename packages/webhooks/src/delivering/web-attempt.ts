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

export function responseOf(answer: Answer): Response {
  return new Response(answer.body === '' ? null : answer.body, { status: answer.status, headers: answer.headers })
}

async function readWebBody(request: Request, maxBytes: number, deadline: BodyDeadline): Promise<BodyReading> {
  if (request.bodyUsed || request.body?.locked === true) return { status: 'already-parsed' }
  if (request.body === null) return { status: 'read', bytes: new Uint8Array() }
  const reader = request.body.getReader()
  const tooSlow = deadline.passed.then((): BodyReading => ({ status: 'too-slow' }))
  const reading = await Promise.race([readToEnd(reader, maxBytes), tooSlow])
  // Ends `readToEnd`, too. The cancellation fails if the connection is closed, which changes nothing.
  if (reading.status !== 'read') reader.cancel().catch(() => undefined)
  return reading
}

/** Stops at the first byte over `maxBytes`, so that a large body takes no memory. */
async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<BodyReading> {
  let bytes = new Uint8Array(Math.min(4096, maxBytes))
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { status: 'read', bytes: bytes.subarray(0, length) }
      const end = length + value.length
      if (end > maxBytes) return { status: 'too-large' }
      if (end > bytes.length) {
        const grown = new Uint8Array(Math.min(Math.max(end, bytes.length * 2), maxBytes))
        grown.set(bytes)
        bytes = grown
      }
      bytes.set(value, length)
      length = end
    }
  } catch {
    return { status: 'incomplete' }
  }
}

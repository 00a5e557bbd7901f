import type { Answer } from './answer.ts'
import type { BodyReading, IncomingAttempt } from './attempt.ts'
import { readCapped } from './read-capped.ts'

/** A Web `Request` as an attempt. */
export function attemptOf(request: Request): IncomingAttempt {
  return {
    method: request.method,
    path: new URL(request.url).pathname,
    headers: request.headers,
    readBody: (maxBytes, timeUp) => readWebBody(request, maxBytes, timeUp),
  }
}

/** An answer as a Web `Response`. */
export function responseOf(answer: Answer): Response {
  return new Response(answer.body === '' ? null : answer.body, { status: answer.status, headers: answer.headers })
}

async function readWebBody(request: Request, maxBytes: number, timeUp: Promise<void>): Promise<BodyReading> {
  if (request.bodyUsed || request.body?.locked === true) return { status: 'already-parsed' }
  if (request.body === null) return { status: 'read', bytes: new Uint8Array() }
  const reader = request.body.getReader()
  const chunks = { next: async () => toIteratorResult(await reader.read()) }
  const reading = await readCapped(chunks, maxBytes, timeUp)
  // Nobody wants the rest; a sender that is gone makes the cancellation fail, which changes nothing.
  if (reading.status !== 'read') reader.cancel().catch(() => undefined)
  return reading
}

function toIteratorResult(result: ReadableStreamReadResult<Uint8Array>): IteratorResult<Uint8Array> {
  return result.done ? { done: true, value: undefined } : result
}

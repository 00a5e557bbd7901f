import type { AttemptResponse } from './attempt.ts'

/** The most that is logged of an answer, in bytes. */
const KEPT_BYTES = 4096

/** The headers of an answer, and the part of its body that arrives before the signal. Never rejects. */
export async function beginningOf(response: Response, signal: AbortSignal): Promise<AttemptResponse> {
  const headers = Object.fromEntries(response.headers)
  if (response.body === null || response.bodyUsed) return { headers, body: '', truncated: false }
  const { bytes, ended } = await firstBytes(response.body, signal)
  const body = new TextDecoder().decode(bytes.subarray(0, KEPT_BYTES))
  return { headers, body, truncated: !ended || bytes.length > KEPT_BYTES }
}

async function firstBytes(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly ended: boolean }> {
  const reader = body.getReader()
  // Cancelling frees the connection, and ends a pending read.
  const cancel = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  let bytes: Uint8Array = new Uint8Array()
  try {
    while (bytes.length <= KEPT_BYTES) {
      const { done, value } = await reader.read()
      if (done) return { bytes, ended: !signal.aborted }
      bytes = joined(bytes, value)
    }
    return { bytes, ended: false }
  } catch {
    return { bytes, ended: false }
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

import { TextDecoder } from '../runtime/web-classes.ts'
import type { AttemptResponse } from './attempt.ts'

/** How much of an answer's body is logged, in bytes. */
const MAX_LOGGED_BYTES = 4096

/** The answer of a receiver, over the network or in this process, before its body is read. */
export interface ReceiverAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The next part of the body, or `undefined` at its end. Rejects if the connection breaks. */
  read(): Promise<Uint8Array | undefined>
  /** Frees the connection, and ends a pending read. */
  cancel(): void
}

export function answerOf(response: Response): ReceiverAnswer {
  const { status, body, bodyUsed } = response
  const reader = body === null || bodyUsed ? undefined : body.getReader()
  return {
    status,
    headers: Object.fromEntries(response.headers),
    read: async () => (await reader?.read())?.value,
    cancel: () => void reader?.cancel().catch(() => undefined),
  }
}

/** The headers of an answer, and the part of its body that arrives before `ended`. Never rejects. */
export async function readBeginning(answer: ReceiverAnswer, ended: Promise<unknown>): Promise<AttemptResponse> {
  const { headers } = answer
  const decoder = new TextDecoder()
  let body = ''
  let length = 0
  let isWhole = false
  let isEnded = false
  const atEnd = ended.then(
    () => undefined,
    () => {
      isEnded = true
      answer.cancel()
      return undefined
    },
  )
  try {
    while (length <= MAX_LOGGED_BYTES && !isWhole) {
      const chunk: Uint8Array | undefined = await Promise.race([answer.read(), atEnd])
      if (isEnded) break
      if (chunk === undefined) isWhole = true
      else body += decoder.decode(chunk.subarray(0, Math.max(0, MAX_LOGGED_BYTES - length)), { stream: true })
      length += chunk?.length ?? 0
    }
  } catch {
    // The connection broke. The log shows a truncated answer.
  } finally {
    answer.cancel()
  }
  return { headers, body: body + decoder.decode(), truncated: !isWhole || length > MAX_LOGGED_BYTES }
}

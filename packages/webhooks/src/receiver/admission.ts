import { readFirst } from '../verifier/signature-headers.ts'
import { type Answer, answers } from './answer.ts'
import type { IncomingAttempt } from './attempt.ts'

/**
 * Turns away, before a byte of the body is read, what cannot be a delivery (contract §7).
 *
 * @param path  the one path to answer, or `undefined` for any
 * @returns the answer, or `undefined` when the body is worth reading
 */
export function turnAway(attempt: IncomingAttempt, path: string | undefined, maxBodyBytes: number): Answer | undefined {
  if (attempt.method !== 'POST' || (path !== undefined && attempt.path !== path)) return answers.notFound
  const encoding = readFirst(attempt.headers, 'content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return answers.encoded
  if (Number(readFirst(attempt.headers, 'content-length') ?? 0) > maxBodyBytes) return answers.tooLarge
  return undefined
}

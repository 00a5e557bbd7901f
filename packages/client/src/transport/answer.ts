import type { CallAttempt } from '../errors/notes-client-error.ts'
import type { AnsweredAttempt } from './attempt.ts'
import type { Operation } from './operation.ts'

/** What the service said to one call, after the retries. */
export interface Answer extends Pick<AnsweredAttempt, 'status' | 'headers' | 'text'> {
  readonly operation: Operation
  /** Every request that it took. */
  readonly attempts: readonly CallAttempt[]
}

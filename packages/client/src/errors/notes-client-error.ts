import { NotewireError } from '@notewire/protocol'
import type { CallAttempt } from './call-attempt.ts'
import type { ClientErrorCode } from './client-error-code.ts'

/**
 * A call of the client that failed. Neither the message nor any field ever holds the API key or what a note says.
 *
 * Two failures are of another kind: an aborted call rejects with the reason of its signal, and an argument that cannot
 * work is refused with an `OptionError`, before anything is sent.
 *
 * @example
 * ```ts
 * import { NotesClient, NotesClientError } from '@notewire/client'
 *
 * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
 *
 * try {
 *   console.log((await client.notes.transcript('note_1')).text)
 * } catch (error) {
 *   if (!(error instanceof NotesClientError && error.code === 'not_ready')) throw error
 *   console.log('not transcribed yet')
 * }
 * ```
 */
export class NotesClientError extends NotewireError<ClientErrorCode> {
  /** What was asked: method and path, with the names of ids in place of the ids: `GET /v1/notes/{note_id}`. */
  readonly operation: string
  /** Every request that the call made, in order. Empty where the error is not about one call. */
  readonly attempts: readonly CallAttempt[]

  constructor(code: ClientErrorCode, operation: string, message: string, attempts: readonly CallAttempt[] = []) {
    super(code, message)
    this.operation = operation
    this.attempts = attempts
  }
}

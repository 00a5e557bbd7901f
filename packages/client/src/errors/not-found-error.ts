import { ApiError, type ApiErrorFacts } from './api-error.ts'

/**
 * The key sees no note or endpoint of this id: code `not_found` (open points 8 and 22). A transcript or summary that is
 * not there is another error.
 *
 * `status` is 404, or 200 where the service does not offer the reading of one note and its list does not hold the note.
 *
 * @example
 * ```ts
 * import { NotesClient, NotFoundError } from '@notewire/client'
 *
 * const client = new NotesClient()
 *
 * try {
 *   console.log((await client.notes.get('note_1')).title)
 * } catch (error) {
 *   if (!(error instanceof NotFoundError)) throw error
 *   console.log('there is no such note')
 * }
 * ```
 */
export class NotFoundError extends ApiError {
  constructor(message: string, facts: ApiErrorFacts) {
    super('not_found', message, facts)
  }
}

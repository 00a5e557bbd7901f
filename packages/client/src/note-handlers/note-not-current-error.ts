import { NotewireError } from '@notewire/protocol'
import type { NotePart } from './current-note.ts'

/** What the service announced, and does not return yet. */
export type NotCurrent = 'note' | 'revision' | 'deletion' | NotePart

/**
 * The service announced a state of a note that its REST API does not return yet: code `note_not_current`. Throw it on: the receiver
 * answers 500, and the service sends the event again.
 */
export class NoteNotCurrentError extends NotewireError<'note_not_current'> {
  readonly noteId: string
  /**
   * `note`: the note was not found; `revision`: its record is older than the event; `deletion`: a note that was just deleted is still
   * returned; or the part that cannot be fetched yet.
   */
  readonly missing: NotCurrent

  constructor(noteId: string, missing: NotCurrent) {
    super(
      'note_not_current',
      `${WHAT[missing]}. The service lags behind its events. The receiver answers 500, and the service sends the event again. If this ` +
        'lasts for an hour, the event is applied with what exists.',
    )
    this.noteId = noteId
    this.missing = missing
  }
}

const WHAT: Readonly<Record<NotCurrent, string>> = {
  note: 'the REST API returned 404 for a note that an event announced less than a minute ago',
  revision: 'the REST API returned a lower revision of the note than the event announced',
  deletion: 'the REST API still returned a note that an event reported as deleted',
  transcript: 'the transcript that an event announced cannot be fetched yet',
  summary: 'the summary that an event announced cannot be fetched yet',
}

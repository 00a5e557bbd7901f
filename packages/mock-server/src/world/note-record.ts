import type { Place } from './place.ts'
import type { SpokenLine } from './transcript.ts'

/** One recording of a note (contract §2). */
export interface SessionRecord {
  readonly recording_session_id: string
  readonly ended: boolean
  /** The spoken lines that the owner gave; `undefined` for seeded ones. */
  readonly lines: readonly SpokenLine[] | undefined
}

/** A note, as the service stores it. Times are milliseconds since the Unix epoch. */
export interface NoteRecord {
  readonly note_id: string
  /** The position in the order of creation. */
  readonly sequence: number
  readonly revision: number
  readonly title: string | null
  readonly content: string | null
  readonly status: 'pending' | 'ended' | 'deleted'
  readonly transcript_status: 'pending' | 'ready' | 'empty'
  readonly summary_status: 'pending' | 'ready' | 'missing'
  readonly created_at: number
  readonly updated_at: number
  readonly ended_at: number | null
  readonly deleted_at: number | null
  readonly place: Place
  readonly sessions: readonly SessionRecord[]
  /** The Markdown of the summary that the owner gave; `undefined` for a seeded one. */
  readonly summary: string | undefined
  /** The revision when the last session ended, and when the summary was generated; 0 before that. */
  readonly transcript_revision: number
  readonly summary_revision: number
}

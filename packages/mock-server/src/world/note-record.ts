import type { Place } from './place.ts'
import type { SpokenLine } from './transcript.ts'

/** One recording of a note (contract §2). */
export interface SessionRecord {
  readonly recording_session_id: string
  readonly ended: boolean
  /** What was said, when the owner gave the words; seeded words otherwise. */
  readonly lines: readonly SpokenLine[] | undefined
}

/** A note, as the service keeps it. Times are milliseconds since the Unix epoch. */
export interface NoteRecord {
  readonly note_id: string
  /** The place in the order of creation, which never changes. */
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
  /** The summary's Markdown, when the owner gave it; seeded words otherwise. */
  readonly summary: string | undefined
  /** The revision at which the last session ended, and the one at which the summary was generated: 0 before that. */
  readonly transcript_revision: number
  readonly summary_revision: number
}

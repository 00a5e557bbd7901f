/** The place of a note: the personal notes, or the channel with this identifier (contract §1). */
export type Place = 'personal' | (string & {})

/** A spoken line of a recording. The speaker is `null` if unknown. */
export interface SpokenLine {
  readonly speaker: string | null
  readonly text: string
}

/** One recording of a note (contract §2). */
export interface SessionRecord {
  readonly recording_session_id: string
  readonly ended: boolean
  /** The lines that the owner gave; `undefined` if they are generated from the seed. */
  readonly lines: readonly SpokenLine[] | undefined
}

/** A note, as the service stores it. Times are milliseconds since the Unix epoch. */
export interface NoteRecord {
  readonly note_id: string
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
  /** The summary in Markdown that the owner gave; `undefined` if it is generated from the seed. */
  readonly summary: string | undefined
  /** The revision when the last session ended, and when the summary was generated; 0 before that. */
  readonly transcript_revision: number
  readonly summary_revision: number
}

type NoteBeginning = Pick<NoteRecord, 'note_id' | 'sequence' | 'title' | 'content' | 'place'>

export function noteBegun(beginning: NoteBeginning, now: number): NoteRecord {
  return {
    ...beginning,
    revision: 1,
    status: 'pending',
    transcript_status: 'pending',
    summary_status: 'pending',
    created_at: now,
    updated_at: now,
    ended_at: null,
    deleted_at: null,
    sessions: [],
    summary: undefined,
    transcript_revision: 0,
    summary_revision: 0,
  }
}

/** Adds a session. The API does not show it until it has ended. */
export function sessionBegun(note: NoteRecord, recording_session_id: string): NoteRecord {
  return { ...note, sessions: [...note.sessions, { recording_session_id, ended: false, lines: undefined }] }
}

/** Ends a session: the transcript is final, and a summary is generated unless `summary` is `false`. */
export function sessionEnded(
  note: NoteRecord,
  session: Pick<SessionRecord, 'recording_session_id' | 'lines'>,
  summary: string | false | undefined,
  now: number,
): NoteRecord {
  const sessions = note.sessions.map((known) =>
    known.recording_session_id === session.recording_session_id ? { ...session, ended: true } : known,
  )
  const hasWords = sessions.some(({ ended, lines }) => ended && lines?.length !== 0)
  return revised(note, now, {
    sessions,
    status: 'ended',
    transcript_status: hasWords ? 'ready' : 'empty',
    summary_status: summary === false ? 'missing' : 'pending',
    summary: summary === false ? undefined : summary,
    ended_at: now,
    transcript_revision: note.revision + 1,
  })
}

export function summaryGenerated(note: NoteRecord, now: number, raises = true): NoteRecord {
  const generated = revised(note, now, { summary_status: 'ready' }, raises)
  return { ...generated, summary_revision: generated.revision }
}

/** The tombstone: the same record without content, marked as deleted (open point 4). */
export function noteDeleted(note: NoteRecord, now: number, raises = true): NoteRecord {
  const emptied = { title: null, content: null, sessions: [], summary: undefined }
  return revised(note, now, { status: 'deleted', deleted_at: now, ...emptied }, raises)
}

/** @param raises  whether the change raises the revision (open point 20) */
export function revised(note: NoteRecord, now: number, changes: Partial<NoteRecord>, raises = true): NoteRecord {
  return { ...note, ...changes, revision: note.revision + (raises ? 1 : 0), updated_at: now }
}

import type { NoteRecord, SessionRecord } from './note-record.ts'
import type { Place } from './place.ts'
import type { SpokenLine } from './transcript.ts'

/** The changes of a note that the owner can make. */
export interface NoteChanges {
  readonly title?: string | null | undefined
  readonly content?: string | null | undefined
}

/** Whether an update increases the revision (open point 20). */
type Raises = 'raises' | 'keeps'

type NoteBeginning = Pick<NoteRecord, 'note_id' | 'sequence' | 'title' | 'content' | 'place'>

/** A new note. */
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

/** Adds a session, which the API does not show yet. */
export function sessionBegun(note: NoteRecord, recording_session_id: string): NoteRecord {
  return { ...note, sessions: [...note.sessions, { recording_session_id, ended: false, lines: undefined }] }
}

/** Ends a session: the transcript is final, and a summary is generated unless `summary` is `false`. */
export function sessionEnded(
  note: NoteRecord,
  session: { readonly recording_session_id: string; readonly lines: readonly SpokenLine[] | undefined },
  summary: string | false | undefined,
  now: number,
): NoteRecord {
  const sessions = note.sessions.map((known) =>
    known.recording_session_id === session.recording_session_id ? { ...session, ended: true } : known,
  )
  return revised(note, now, {
    sessions,
    status: 'ended',
    transcript_status: sessions.some(hasWords) ? 'ready' : 'empty',
    summary_status: summary === false ? 'missing' : 'pending',
    summary: summary === false ? undefined : summary,
    ended_at: now,
    transcript_revision: note.revision + 1,
  })
}

/** Makes the summary readable. */
export function summaryGenerated(note: NoteRecord, now: number, raises: Raises = 'raises'): NoteRecord {
  const generated = revised(note, now, { summary_status: 'ready' }, raises)
  return { ...generated, summary_revision: generated.revision }
}

/** @returns the same note when the changes change nothing */
export function noteEdited(note: NoteRecord, changes: NoteChanges, now: number): NoteRecord {
  const { title = note.title, content = note.content } = changes
  return title === note.title && content === note.content ? note : revised(note, now, { title, content })
}

/** The tombstone: the same record without content, marked as deleted (open point 4). */
export function noteDeleted(note: NoteRecord, now: number, raises: Raises = 'raises'): NoteRecord {
  const emptied = { title: null, content: null, sessions: [], summary: undefined }
  return revised(note, now, { status: 'deleted', deleted_at: now, ...emptied }, raises)
}

/** A move neither increases the revision nor counts as an update (open points 20 and 28). */
export function noteMoved(note: NoteRecord, place: Place): NoteRecord {
  return { ...note, place }
}

/** The move of a service where gaining access counts as an update (open point 28). */
export function noteMovedAndRevised(note: NoteRecord, place: Place, now: number): NoteRecord {
  return revised(note, now, { place })
}

function hasWords(session: SessionRecord): boolean {
  return session.ended && (session.lines === undefined || session.lines.length > 0)
}

/** An update. It usually increases the revision (open point 20). */
function revised(note: NoteRecord, now: number, changes: Partial<NoteRecord>, raises: Raises = 'raises'): NoteRecord {
  const revision = raises === 'raises' ? note.revision + 1 : note.revision
  return { ...note, ...changes, revision, updated_at: now }
}

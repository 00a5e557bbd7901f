import type { NoteRecord, SessionRecord } from './note-record.ts'
import type { Place } from './place.ts'
import type { SpokenLine } from './transcript.ts'

/** What the owner may change in a note. */
export interface NoteChanges {
  readonly title?: string | null | undefined
  readonly content?: string | null | undefined
}

/** Whether an update raises the revision (open point 20). */
type Raises = 'raises' | 'keeps'

type NoteBeginning = Pick<NoteRecord, 'note_id' | 'sequence' | 'title' | 'content' | 'place'>

/** A note that is being recorded for the first time. */
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

/** A session that has begun shows nowhere in the API yet. */
export function sessionBegun(note: NoteRecord, recording_session_id: string): NoteRecord {
  return { ...note, sessions: [...note.sessions, { recording_session_id, ended: false, lines: undefined }] }
}

/** The transcript is final; the summary, unless there will be none, is to be generated anew. */
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

/** The summary has been generated and can be read. */
export function summaryGenerated(note: NoteRecord, now: number, raises: Raises = 'raises'): NoteRecord {
  const generated = revised(note, now, { summary_status: 'ready' }, raises)
  return { ...generated, summary_revision: generated.revision }
}

/** @returns the same note when the changes change nothing */
export function noteEdited(note: NoteRecord, changes: NoteChanges, now: number): NoteRecord {
  const { title = note.title, content = note.content } = changes
  return title === note.title && content === note.content ? note : revised(note, now, { title, content })
}

/** What remains is the tombstone: the same record, emptied and marked (open point 4). */
export function noteDeleted(note: NoteRecord, now: number, raises: Raises = 'raises'): NoteRecord {
  const emptied = { title: null, content: null, sessions: [], summary: undefined }
  return revised(note, now, { status: 'deleted', deleted_at: now, ...emptied }, raises)
}

/** Neither gained nor lost sight raises the revision or counts as an update (open points 20 and 28). */
export function noteMoved(note: NoteRecord, place: Place): NoteRecord {
  return { ...note, place }
}

/** The move of a service where gained sight counts as an update (open point 28). */
export function noteMovedAndRevised(note: NoteRecord, place: Place, now: number): NoteRecord {
  return revised(note, now, { place })
}

function hasWords(session: SessionRecord): boolean {
  return session.ended && (session.lines === undefined || session.lines.length > 0)
}

/** Everything that counts as an update goes through here, and as a rule it raises the revision (open point 20). */
function revised(note: NoteRecord, now: number, changes: Partial<NoteRecord>, raises: Raises = 'raises'): NoteRecord {
  const revision = raises === 'raises' ? note.revision + 1 : note.revision
  return { ...note, ...changes, revision, updated_at: now }
}

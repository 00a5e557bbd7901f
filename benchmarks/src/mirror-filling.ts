import type { MirrorStore, NoteState } from '@notewire/mirror'
import type { Note } from '@notewire/protocol'
import { unknownNote } from '../../packages/mirror/src/notes/note-state.ts'
import type { NoteWrite } from '../../packages/mirror/src/notes/note-write.ts'
import { type WholeNote, wholeNoteAt } from './mirror-notes.ts'

/** The default integration of a mirror. */
const INTEGRATION = 'default'

const NOTES_A_COMMIT = 1_000

/** Fills an empty store with notes in the state in which a mirror leaves complete notes. */
export async function fillStore(store: MirrorStore, notes: number, samples: readonly WholeNote[]): Promise<void> {
  for (let begin = 0; begin < notes; begin += NOTES_A_COMMIT) {
    const { sequence } = await store.load(INTEGRATION, [])
    const count = Math.min(NOTES_A_COMMIT, notes - begin)
    const writes = Array.from({ length: count }, (_, place) =>
      settledWrite(wholeNoteAt(begin + place, samples), sequence),
    )
    await commitAll(store, writes)
  }
}

/** Commits writes without conflicts. */
async function commitAll(store: MirrorStore, notes: readonly NoteWrite[]): Promise<void> {
  const outcome = await store.commit(INTEGRATION, { notes })
  if (outcome !== 'committed') throw new Error('another process writes to the store')
}

function settledWrite({ note, transcript, summary }: WholeNote, sequence: number): NoteWrite {
  return {
    state: settledState(note, sequence),
    expectedVersion: 0,
    content: { note, transcript, summary },
    announce: 'appeared',
  }
}

/** The state of a note whose content was read just after it was listed. */
function settledState(note: Note, sequence: number): NoteState {
  const at = Date.now()
  return {
    ...unknownNote(note.note_id),
    presence: 'live',
    evidence: { says: 'present', start: sequence, end: sequence, source: 'backfill', at },
    revision: note.revision,
    visibleRevision: note.revision,
    settledRevision: note.revision,
    recordSeenAt: at,
    status: note.status ?? null,
    transcriptStatus: note.transcript_status ?? null,
    summaryStatus: note.summary_status ?? null,
    createdAt: note.created_at ?? null,
    updatedAt: note.updated_at ?? null,
    transcriptOutcome: 'ready',
    summaryOutcome: 'ready',
  }
}

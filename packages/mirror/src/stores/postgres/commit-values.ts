import { type ContentWrite, NO_DIGESTS, type NoteWrite } from '../../notes/note-write.ts'
import { escapedJson } from '../escaped-text.ts'
import type { MirrorCommit } from '../mirror-store.ts'
import { progressJson } from '../progress-json.ts'
import { stateJson } from '../state-json.ts'

/** The parameters of `notewire_mirror_commit_notes` after the integration. */
export function commitValues({ notes, progress, heardAt, fence, hintDueAt }: MirrorCommit): unknown[] {
  const announced = notes.filter(({ announce }) => announce !== undefined)
  const places = new Map(announced.map((write, index) => [write, index + 1]))
  const contents = notes.flatMap(({ state, content }) => contentRow(state.noteId, content))
  return [
    escapedJson(Object.fromEntries(notes.map(({ state, expectedVersion }) => [state.noteId, expectedVersion]))),
    escapedJson(notes.map((write) => noteRow(write, places.get(write)))),
    announced.length,
    escapedJson(contents),
    progress === undefined ? null : escapedJson(progressJson(progress)),
    heardAt ?? null,
    fence?.generation ?? null,
    fence?.token ?? null,
    hintDueAt ?? null,
  ]
}

/** @param place  the index among the announced notes, from 1, which determines the position */
function noteRow(
  { state, announce, vanishes = false, changed = [], digests = NO_DIGESTS }: NoteWrite,
  place: number | undefined,
) {
  const { noteId: note_id, dueAt: due_at } = state
  return {
    note_id,
    due_at,
    state: stateJson(state),
    place,
    appeared: announce === 'appeared',
    vanishes,
    changed,
    digests,
  }
}

function contentRow(noteId: string, content: ContentWrite | undefined): readonly object[] {
  if (content === 'erase') return [{ note_id: noteId, erase: true }]
  const isUnchanged = content === undefined || Object.values(content).every((part) => part === undefined)
  return isUnchanged ? [] : [{ ...content, note_id: noteId }]
}

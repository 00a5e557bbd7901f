import { type ContentWrite, earliestDue, type NoteWrite } from '../../interfaces/note-write.ts'
import type { MirrorCommit } from '../../interfaces/store.ts'
import { evidenceRow, rowOf } from '../state-row.ts'
import { escapedJson } from './escaped-json.ts'

/** The parameters of `notewire_mirror_commit_2` after the integration. */
export function commitValues({ notes, progress, heardAt, fence, now }: MirrorCommit): unknown[] {
  const announced = notes.filter(({ announce }) => announce !== undefined)
  const places = new Map(announced.map((write, index) => [write, index + 1]))
  const contents = notes.flatMap(({ state, content }) => contentRow(state.noteId, content))
  return [
    escapedJson(Object.fromEntries(notes.map(({ state, expectedVersion }) => [state.noteId, expectedVersion]))),
    escapedJson(stampRows(notes.filter(({ isStamp }) => isStamp))),
    escapedJson(notes.filter(({ isStamp }) => !isStamp).map((write) => noteRow(write, places.get(write)))),
    announced.length,
    escapedJson(contents),
    progress?.expectedVersion ?? null,
    progress === undefined ? null : escapedJson(progress.next),
    heardAt ?? null,
    fence?.generation ?? null,
    fence?.token ?? null,
    fence && heardAt !== undefined ? earliestDue(notes) : null,
    now ?? null,
  ]
}

/** @param place  the index among the announced notes, from 1, which determines the position */
function noteRow({ state, announce }: NoteWrite, place: number | undefined) {
  return { ...rowOf(state), place, appeared: announce === 'appeared' }
}

/** Notes of one page mostly have equal evidence, and are written together. */
function stampRows(notes: readonly NoteWrite[]): readonly object[] {
  const groups = Map.groupBy(notes, ({ state }) => JSON.stringify(evidenceRow(state)))
  return [...groups].map(([evidence, group]) => ({
    ...(JSON.parse(evidence) as object),
    note_ids: group.map(({ state }) => state.noteId),
  }))
}

function contentRow(noteId: string, content: ContentWrite | undefined): readonly object[] {
  if (content === 'erase') return [{ note_id: noteId, erase: true }]
  const isUnchanged = content === undefined || Object.values(content).every((part) => part === undefined)
  return isUnchanged ? [] : [{ ...content, note_id: noteId }]
}

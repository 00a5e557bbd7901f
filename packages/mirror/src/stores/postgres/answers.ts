import type { Note } from '@notewire/protocol'
import { type MirrorProgress, NO_PROGRESS } from '../../interfaces/progress.ts'
import type { ChangedNote, DueNotes, LoadedNotes, LoadedProgress, VersionedState } from '../../interfaces/store.ts'
import type { StoredNote } from '../../interfaces/stored-note.ts'
import { type StateRow, stateOf } from '../state-row.ts'

export interface ProgressAnswer {
  readonly sequence: number
  readonly progress: MirrorProgress | null
  readonly progress_version: number
  readonly heard_at: number | null
}

/** Of `notewire_mirror_load_1`. */
export interface LoadAnswer extends ProgressAnswer {
  readonly notes: readonly VersionedAnswer[]
}

/** Of `notewire_mirror_take_1`. */
export interface TakeAnswer {
  readonly sequence: number
  readonly notes: readonly (VersionedAnswer & { readonly note: Note | null })[]
  readonly next_due_at: number | null
}

export interface HoldAnswer {
  readonly scan_id: string
  readonly notes: number
}

export interface ChangeAnswer {
  readonly state: StateRow
  readonly position: number
  readonly visible_since: number
  readonly first_visible: number | null
}

export interface NoteAnswer extends Omit<StoredNote, 'state'> {
  readonly state: StateRow
}

interface VersionedAnswer {
  readonly state: StateRow
  readonly version: number
}

export function loadedProgress(answer: ProgressAnswer): LoadedProgress {
  return {
    sequence: answer.sequence,
    progress: answer.progress ?? NO_PROGRESS,
    progressVersion: answer.progress_version,
    heardAt: answer.heard_at,
  }
}

export function loadedNotes(answer: LoadAnswer): LoadedNotes {
  const notes = answer.notes.map((note): [string, VersionedState] => [note.state.note_id, versionedState(note)])
  return { ...loadedProgress(answer), notes: new Map(notes) }
}

export function dueNotes({ sequence, notes, next_due_at }: TakeAnswer): DueNotes {
  return {
    sequence,
    notes: notes.map((taken) => ({ ...versionedState(taken), note: taken.note })),
    nextDueAt: next_due_at,
  }
}

export function changedNote({ state, position, visible_since, first_visible }: ChangeAnswer): ChangedNote {
  return { state: stateOf(state), position, visibleSince: visible_since, firstVisible: first_visible }
}

export function storedNote({ state, note, transcript, summary }: NoteAnswer): StoredNote {
  return { state: stateOf(state), note, transcript, summary }
}

function versionedState({ state, version }: VersionedAnswer): VersionedState {
  return { state: stateOf(state), version }
}

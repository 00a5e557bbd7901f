import type { Note } from '@notewire/protocol'
import { type CopyState, type MirrorProgress, NO_PROGRESS } from '../../interfaces/progress.ts'
import type { DueNotes, LoadedNotes, LoadedProgress, VersionedState } from '../../interfaces/store.ts'
import { type StateRow, stateOf } from '../state-row.ts'

/** A row with a state, as PostgreSQL returns it. */
export type Answered<Row extends { readonly state: unknown }> = Omit<Row, 'state'> & { readonly state: StateRow }

interface ProgressAnswer {
  readonly sequence: number
  readonly progress: MirrorProgress | null
  readonly progress_version: number
  readonly heard_at: number | null
}

/** The columns of `COPY_JSON`. */
export interface CopyAnswer extends ProgressAnswer {
  readonly next_due_at: number | null
  readonly hidden_since: number | null
}

/** Result of `notewire_mirror_load_1`. */
export interface LoadAnswer extends ProgressAnswer {
  readonly notes: readonly Answered<VersionedState>[]
}

/** Result of `notewire_mirror_take_1`. */
export interface TakeAnswer {
  readonly sequence: number
  readonly notes: readonly (Answered<VersionedState> & { readonly note: Note | null })[]
  readonly next_due_at: number | null
}

export function copyState({ next_due_at, hidden_since, ...progress }: CopyAnswer): CopyState {
  return { ...loadedProgress(progress), nextDueAt: next_due_at, hiddenSince: hidden_since }
}

function loadedProgress({ sequence, progress, progress_version, heard_at }: ProgressAnswer): LoadedProgress {
  return { sequence, progress: progress ?? NO_PROGRESS, progressVersion: progress_version, heardAt: heard_at }
}

export function loadedNotes({ notes, ...progress }: LoadAnswer): LoadedNotes {
  return { ...loadedProgress(progress), notes: new Map(notes.map((note) => [note.state.note_id, withState(note)])) }
}

export function dueNotes({ sequence, notes, next_due_at }: TakeAnswer): DueNotes {
  return { sequence, notes: notes.map(withState), nextDueAt: next_due_at }
}

/** Replaces the row of a state by the state. */
export function withState<Answer extends { readonly state: StateRow }>(answer: Answer) {
  return { ...answer, state: stateOf(answer.state) }
}

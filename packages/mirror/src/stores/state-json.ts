import { type NoteState, unknownNote } from '../notes/note-state.ts'
import type { NoteCounts } from './mirror-store.ts'

/**
 * What the column `state` contains: a note's state without its id and its due time, which have columns, and without absent values. What statements
 * search or count is repeated in columns that the database generates from it.
 */
export type StateJson = Partial<Omit<NoteState, 'noteId' | 'dueAt'>>

export function stateJson({ noteId: _, dueAt: __, ...state }: NoteState): StateJson {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null))
}

/** Adds the absent values of the state of a note. */
export function withState<Row extends { readonly state: StateJson & Pick<NoteState, 'noteId' | 'dueAt'> }>(row: Row) {
  return { ...row, state: { ...unknownNote(row.state.noteId), ...row.state } }
}

/** The SQL condition of each count, for a row with the given name. */
export const COUNTED: Readonly<Record<keyof NoteCounts, (row: string) => string>> = {
  live: (row) => `${row}.presence = 'live'`,
  hidden: (row) => `${row}.presence = 'hidden'`,
  gone: (row) => `${row}.presence = 'gone'`,
  dirty: (row) => `${row}.dirty IS NOT NULL`,
  unsettled: (row) => `${row}.presence = 'live' AND ${row}.dirty IS NULL AND ${row}.settled_revision IS NULL`,
  contradicted: (row) => `${row}.contradicted_since IS NOT NULL`,
}

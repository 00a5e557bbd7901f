import { type Evidence, type NoteState, unknownNote } from '../notes/note-state.ts'
import type { NoteCounts } from './mirror-store.ts'

/**
 * What the column `state` contains: a note's state without its id and its due time, which have columns, and without absent values. What statements
 * search or count is repeated in columns that the database generates from it.
 */
export type StateJson = Readonly<Record<string, unknown>>

/** The fields that version 0.1.0 named differently. They are stored with its names, so that it can go on during a deploy. */
const STORED_NAMES: Readonly<Partial<Record<keyof NoteState, string>>> = {
  readAfterSequence: 'dirty',
  hiddenSequence: 'hiddenBy',
  heldByFullListing: 'heldByScan',
  transcriptOutcome: 'transcriptHeld',
  summaryOutcome: 'summaryHeld',
}

const storedNames = new Map(Object.entries(STORED_NAMES))
const names = new Map(Object.entries(STORED_NAMES).map(([name, stored]) => [stored, name]))

export function stateJson({ noteId: _, dueAt: __, ...state }: NoteState): StateJson {
  const evidence = state.evidence?.source === 'full-listing' ? { ...state.evidence, source: 'scan' } : state.evidence
  const present = Object.entries({ ...state, evidence }).filter(([, value]) => value !== null)
  return Object.fromEntries(present.map(([name, value]) => [storedNames.get(name) ?? name, value]))
}

/** A row of a note as it is stored. */
export type StoredState<Row extends { readonly state: NoteState }> = Omit<Row, 'state'> & {
  readonly state: StateJson & Pick<NoteState, 'noteId' | 'dueAt'>
}

/** Reads a row of a note: adds the absent values of its state. */
export function withState<Row extends StoredState<{ readonly state: NoteState }>>(
  row: Row,
): Omit<Row, 'state'> & { readonly state: NoteState } {
  const known = Object.entries(row.state).map(([stored, value]) => [names.get(stored) ?? stored, value])
  const state: NoteState = { ...unknownNote(row.state.noteId), ...Object.fromEntries(known) }
  const isScan = (state.evidence?.source as string | undefined) === 'scan'
  return {
    ...row,
    state: isScan ? { ...state, evidence: { ...state.evidence, source: 'full-listing' } as Evidence } : state,
  }
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

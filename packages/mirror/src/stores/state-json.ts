import { type Evidence, type EvidenceSource, type NoteState, unknownNote } from '../notes/note-state.ts'
import type { NoteCounts } from './mirror-store.ts'

/**
 * What the column `state` contains: a note's state without its id and its due time, which have columns, and without absent values. What statements
 * search or count is repeated in columns that the database generates from it. The names of the full listing are those of version 0.1.0.
 */
export type StateJson = Partial<Omit<NoteState, 'noteId' | 'dueAt' | 'heldByFullListing' | 'evidence'>> & {
  readonly heldByScan?: string
  readonly evidence?: Omit<Evidence, 'source'> & { readonly source: Exclude<EvidenceSource, 'full-listing'> | 'scan' }
}

export function stateJson({ noteId: _, dueAt: __, heldByFullListing, evidence, ...state }: NoteState): StateJson {
  const source = evidence?.source === 'full-listing' ? 'scan' : evidence?.source
  const renamed = { ...state, heldByScan: heldByFullListing, evidence: evidence && { ...evidence, source } }
  return Object.fromEntries(Object.entries(renamed).filter(([, value]) => value !== null))
}

/** A row of a note as it is stored. */
export type StoredState<Row extends { readonly state: NoteState }> = Omit<Row, 'state'> & {
  readonly state: StateJson & Pick<NoteState, 'noteId' | 'dueAt'>
}

/** Reads a row of a note: adds the absent values of its state. */
export function withState<Row extends StoredState<{ readonly state: NoteState }>>(
  row: Row,
): Omit<Row, 'state'> & { readonly state: NoteState } {
  const { heldByScan = null, evidence, ...state } = row.state
  const known = { heldByFullListing: heldByScan, evidence: evidence === undefined ? null : evidenceIn(evidence) }
  return { ...row, state: { ...unknownNote(state.noteId), ...state, ...known } }
}

function evidenceIn({ source, ...evidence }: NonNullable<StateJson['evidence']>): Evidence {
  return { ...evidence, source: source === 'scan' ? 'full-listing' : source }
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

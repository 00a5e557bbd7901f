import { type Evidence, type EvidenceSource, type NoteState, unknownNote } from '../notes/note-state.ts'
import type { NoteCounts } from './mirror-store.ts'

/**
 * What the column `state` contains: a note's state without its id and its due time, which have columns, and without absent values. What statements
 * search or count is repeated in columns that the database generates from it. Some names are those of version 0.1.0.
 */
export type StateJson = Partial<Omit<NoteState, 'noteId' | 'dueAt' | Renamed>> & {
  readonly dirty?: number
  readonly hiddenBy?: number
  readonly heldByScan?: string
  readonly evidence?: Omit<Evidence, 'source'> & { readonly source: Exclude<EvidenceSource, 'full-listing'> | 'scan' }
}

type Renamed = 'readAfterSequence' | 'hiddenSequence' | 'heldByFullListing' | 'evidence'

export function stateJson({ noteId: _, dueAt: __, ...known }: NoteState): StateJson {
  const {
    readAfterSequence: dirty,
    hiddenSequence: hiddenBy,
    heldByFullListing: heldByScan,
    evidence,
    ...state
  } = known
  const source = evidence?.source === 'full-listing' ? 'scan' : evidence?.source
  const stored = { ...state, dirty, hiddenBy, heldByScan, evidence: evidence && { ...evidence, source } }
  return Object.fromEntries(Object.entries(stored).filter(([, value]) => value !== null))
}

/** A row of a note as it is stored. */
export type StoredState<Row extends { readonly state: NoteState }> = Omit<Row, 'state'> & {
  readonly state: StateJson & Pick<NoteState, 'noteId' | 'dueAt'>
}

/** Reads a row of a note: adds the absent values of its state. */
export function withState<Row extends StoredState<{ readonly state: NoteState }>>(
  row: Row,
): Omit<Row, 'state'> & { readonly state: NoteState } {
  const { dirty = null, hiddenBy = null, heldByScan = null, evidence, ...state } = row.state
  const renamed = {
    readAfterSequence: dirty,
    hiddenSequence: hiddenBy,
    heldByFullListing: heldByScan,
    evidence: evidence === undefined ? null : evidenceIn(evidence),
  }
  return { ...row, state: { ...unknownNote(state.noteId), ...state, ...renamed } }
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

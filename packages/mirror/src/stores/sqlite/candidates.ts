import type { SqliteRow, SqliteStatement } from '@notewire/webhooks/sqlite'
import type { CompletionCertificate } from '../../listing/certificate.ts'
import type { HeldRemovals } from '../store.ts'
import { originalText, storedText } from './text.ts'

/**
 * From this many candidates on, they are found by going through the notes by id; fewer are looked up by their evidence and
 * sorted. Of a million notes, neither then looks at more than ten thousand for a page of a hundred.
 */
export const MANY = 10_000

const CANDIDATES = "scope = ? AND presence = 'live' AND evidence_start < ?"
const BY_EVIDENCE = 'notewire_mirror_notes INDEXED BY notewire_mirror_notes_by_evidence'
const BY_ID = 'notewire_mirror_notes INDEXED BY notewire_mirror_notes_by_id'

/** Counts live notes whose evidence starts before the scan did: up to a number, or all. */
export function countCandidates(
  scope: string,
  { startedAt }: CompletionCertificate,
  most = Number.MAX_SAFE_INTEGER,
): SqliteStatement {
  return { sql: COUNT, parameters: [storedText(scope), startedAt, most] }
}

const COUNT = `SELECT count(*) AS notes FROM (SELECT 1 FROM ${BY_EVIDENCE} WHERE ${CANDIDATES} LIMIT ?)`

/** Reads a number of notes. */
export function numberOf([row]: readonly SqliteRow[]): number {
  return Number(row?.['notes'])
}

/** Lists them, in the way that suits how many there are. */
export function listCandidates(
  scope: string,
  { startedAt }: CompletionCertificate,
  page: { readonly after: string; readonly limit: number; readonly areMany: boolean },
): SqliteStatement {
  const parameters = [storedText(scope), startedAt, storedText(page.after), page.limit]
  return { sql: page.areMany ? LIST_MANY : LIST_FEW, parameters }
}

const inOrder = (notes: string) =>
  `SELECT note_id FROM ${notes} WHERE ${CANDIDATES} AND note_id > ? ORDER BY note_id LIMIT ?`
const LIST_FEW = inOrder(BY_EVIDENCE)
const LIST_MANY = inOrder(BY_ID)

/** Lists hidden notes that a scan holds back. */
export function listHeld(scope: string, scanId: string, after: string, limit: number): SqliteStatement {
  return { sql: LIST_HELD, parameters: [storedText(scope), storedText(scanId), storedText(after), limit] }
}

const LIST_HELD = `
  SELECT note_id FROM notewire_mirror_notes
  WHERE scope = ? AND held_by_scan = ? AND note_id > ? AND presence = 'hidden'
  ORDER BY note_id LIMIT ?`

/** Reads identifiers. */
export function noteIdsIn(rows: readonly SqliteRow[]): readonly string[] {
  return rows.map(({ note_id }) => originalText(String(note_id)))
}

/** Lists notes that an event has hidden for long. */
export function listOverdue(scope: string, hiddenBefore: number, limit: number): SqliteStatement {
  return { sql: LIST_OVERDUE, parameters: [storedText(scope), hiddenBefore, limit] }
}

const LIST_OVERDUE = `
  SELECT note_id FROM notewire_mirror_notes INDEXED BY notewire_mirror_notes_hidden
  WHERE scope = ? AND hidden_at <= ? AND presence = 'hidden' ORDER BY note_id LIMIT ?`

/** Lists the scans that hold notes back. */
export function listHolds(scope: string): SqliteStatement {
  return { sql: LIST_HOLDS, parameters: [storedText(scope)] }
}

const LIST_HOLDS = `
  SELECT held_by_scan, count(*) AS notes FROM notewire_mirror_notes
  WHERE scope = ? AND held_by_scan IS NOT NULL AND presence = 'hidden'
  GROUP BY held_by_scan ORDER BY held_by_scan`

/** Reads one of them. */
export function heldRemovals(row: SqliteRow): HeldRemovals {
  return { scanId: originalText(String(row['held_by_scan'])), notes: Number(row['notes']) }
}

import { empty, raw, type Sql } from 'sql-template-tag'
import type { StatesQuery } from '../mirror-store.ts'

/**
 * From this number of missing notes on, a page is read in the order of ids; fewer are read by evidence and sorted. With a million notes,
 * both read at most ten thousand rows for a page of a hundred.
 */
const MANY_MISSING_NOTES = 10_000

const BY_ID = raw('INDEXED BY notewire_mirror_notes_by_id')
const BY_EVIDENCE = raw('INDEXED BY notewire_mirror_notes_by_evidence')
const BY_HIDING = raw('INDEXED BY notewire_mirror_notes_hidden')

/** Integration, sequence number, the highest number to count to. */
export const COUNT_MISSING = `SELECT count(*) AS notes FROM (
  SELECT 1 FROM notewire_mirror_notes INDEXED BY notewire_mirror_notes_by_evidence
  WHERE integration = ? AND presence = 'live' AND evidence_start < ? LIMIT ?)`

/**
 * Chooses the index with which `listStates` finds its notes.
 *
 * @param countMissing  counts the missing notes of a full listing, up to a limit
 */
export async function indexFor(
  query: StatesQuery,
  countMissing: (startSequence: number, limit: number) => Promise<number>,
): Promise<Sql> {
  if ('missing' in query) {
    const missing = await countMissing(query.missing.startSequence, MANY_MISSING_NOTES)
    return missing === MANY_MISSING_NOTES ? BY_ID : BY_EVIDENCE
  }
  if ('hiddenBefore' in query) return BY_HIDING
  return 'notErasedAfter' in query ? BY_ID : empty
}

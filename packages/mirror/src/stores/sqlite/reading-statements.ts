import { erasedNote, LATEST_HIDDEN_MS } from '../../notes/note-state.ts'
import { escapedJson } from '../escaped-text.ts'
import type { StatesQuery } from '../mirror-store.ts'
import { stateJson } from '../state-json.ts'
import { READ_CONTENT } from './content-columns.ts'
import { COUNTS, READ_STATE } from './note-columns.ts'
import { RUN_OF_NOTE } from './run-statements.ts'

/**
 * From this number of candidates on, a page is read in the order of ids; fewer candidates are read by evidence and sorted. With a million notes,
 * both read at most ten thousand rows for a page of a hundred.
 */
export const MANY_MISSING_NOTES = 10_000

// The docstrings list the parameters.
const NOTES = 'notewire_mirror_notes AS note'
const BY_EVIDENCE = `${NOTES} INDEXED BY notewire_mirror_notes_by_evidence`
const BY_ID = `${NOTES} INDEXED BY notewire_mirror_notes_by_id`
const IS_MISSING = "presence = 'live' AND evidence_start < ?"

/** Integration, sequence number, the highest number to count to. */
export const COUNT_MISSING = `SELECT count(*) AS notes FROM (SELECT 1 FROM ${BY_EVIDENCE} WHERE integration = ? AND ${IS_MISSING} LIMIT ?)`

const statesIn = (notes: string, condition: string, others = '') => `
  SELECT ${READ_STATE}, note.position, note.visible_since, note.first_visible${others} FROM ${notes}
  WHERE integration = ? AND ${condition} LIMIT ?`

const missingIn = (notes: string) => statesIn(notes, `${IS_MISSING} AND note_id > ? ORDER BY note_id`)

/** The statement, and its values between the integration and the limit. */
export function listStates(query: StatesQuery, areManyMissing: boolean): readonly [string, ...(string | number)[]] {
  if ('missing' in query) return [areManyMissing ? MANY_MISSING : FEW_MISSING, query.missing.startSequence, query.after]
  if ('heldBy' in query) return [LIST_HELD, query.heldBy, query.after]
  if ('hiddenBefore' in query) return [LIST_OVERDUE, query.hiddenBefore, query.hiddenBefore]
  if ('notErasedAfter' in query) return [LIST_NOT_ERASED, query.notErasedAfter, ERASED]
  return [LIST_CHANGES, query.changedAfter]
}

const FEW_MISSING = missingIn(BY_EVIDENCE)
const MANY_MISSING = missingIn(BY_ID)
const LIST_HELD = statesIn(NOTES, "held_by_scan = ? AND note_id > ? AND presence = 'hidden' ORDER BY note_id")
const LIST_OVERDUE = statesIn(
  `${NOTES} INDEXED BY notewire_mirror_notes_hidden`,
  `(hidden_at <= ? OR hidden_at > ? + ${LATEST_HIDDEN_MS}) AND presence = 'hidden' ORDER BY note_id`,
)
const LIST_NOT_ERASED = statesIn(BY_ID, 'note_id > ? AND state <> ? ORDER BY note_id')
const ERASED = escapedJson(stateJson(erasedNote('')))
const LIST_CHANGES = statesIn(NOTES, 'note.position > ? ORDER BY note.position', `, ${RUN_OF_NOTE} AS run`)

export const LIST_HOLDS = `
  SELECT held_by_scan, count(*) AS notes FROM notewire_mirror_notes
  WHERE integration = ? AND held_by_scan IS NOT NULL AND presence = 'hidden'
  GROUP BY held_by_scan ORDER BY held_by_scan`

export const READ_COUNTS = `SELECT ${COUNTS.join(', ')} FROM notewire_mirrors WHERE integration = ?`

const WITH_CONTENT = 'LEFT JOIN notewire_mirror_content AS content ON content.row_id = note.row_id'

export const READ_NOTE = `
  SELECT ${READ_STATE}, ${READ_CONTENT} FROM notewire_mirror_notes AS note ${WITH_CONTENT}
  WHERE note.integration = ? AND note.note_id = ?`

/** Integration, the id before the page, limit. */
export const LIST_NOTES = `
  SELECT ${READ_STATE}, ${READ_CONTENT}
  FROM notewire_mirror_notes AS note INDEXED BY notewire_mirror_notes_by_id ${WITH_CONTENT}
  WHERE note.integration = ? AND note.note_id > ? AND note.presence = 'live'
  ORDER BY note.note_id LIMIT ?`

/** Phrases of FTS5, the last of which is a prefix; integration; limit. */
// The index returns notes by rank, so the search ends at the limit.
export const SEARCH = `
  SELECT ${READ_STATE}, ${READ_CONTENT} FROM notewire_mirror_search AS found
  CROSS JOIN notewire_mirror_notes AS note ON note.row_id = found.rowid
  ${WITH_CONTENT}
  WHERE notewire_mirror_search MATCH ? AND note.integration = ? AND note.presence = 'live'
  ORDER BY found.rank LIMIT ?`

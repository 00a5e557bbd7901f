import { LATEST_HIDDEN_MS } from '../../interfaces/note-state.ts'
import { READ_CONTENT } from './content-columns.ts'
import { COUNTS } from './counts.ts'
import { READ_STATE } from './note-columns.ts'

/**
 * From this number of candidates on, a page is read in the order of ids; fewer candidates are read by evidence and sorted. With a million notes,
 * both read at most ten thousand rows for a page of a hundred.
 */
export const MANY_CANDIDATES = 10_000

// The docstrings list the parameters.
const CANDIDATES = "integration = ? AND presence = 'live' AND evidence_start < ?"
const BY_EVIDENCE = 'notewire_mirror_notes INDEXED BY notewire_mirror_notes_by_evidence'
const BY_ID = 'notewire_mirror_notes INDEXED BY notewire_mirror_notes_by_id'

/** Integration, sequence number, the highest number to count to. */
export const COUNT_CANDIDATES = `SELECT count(*) AS notes FROM (SELECT 1 FROM ${BY_EVIDENCE} WHERE ${CANDIDATES} LIMIT ?)`

const candidatesIn = (notes: string) =>
  `SELECT note_id FROM ${notes} WHERE ${CANDIDATES} AND note_id > ? ORDER BY note_id LIMIT ?`

/** Integration, sequence number, the id before the page, limit. */
export const LIST_FEW_CANDIDATES = candidatesIn(BY_EVIDENCE)

/** The same, for `MANY_CANDIDATES` or more. */
export const LIST_MANY_CANDIDATES = candidatesIn(BY_ID)

/** Integration, scan, the id before the page, limit. */
export const LIST_HELD = `
  SELECT note_id FROM notewire_mirror_notes
  WHERE integration = ? AND held_by_scan = ? AND note_id > ? AND presence = 'hidden'
  ORDER BY note_id LIMIT ?`

/** Integration, time, the same time, limit. */
export const LIST_OVERDUE = `
  SELECT note_id FROM notewire_mirror_notes INDEXED BY notewire_mirror_notes_hidden
  WHERE integration = ? AND (hidden_at <= ? OR hidden_at > ? + ${LATEST_HIDDEN_MS}) AND presence = 'hidden' ORDER BY note_id LIMIT ?`

/** Integration. */
export const LIST_HOLDS = `
  SELECT held_by_scan, count(*) AS notes FROM notewire_mirror_notes
  WHERE integration = ? AND held_by_scan IS NOT NULL AND presence = 'hidden'
  GROUP BY held_by_scan ORDER BY held_by_scan`

/** Integration. */
export const READ_COUNTS = `SELECT ${COUNTS.join(', ')} FROM notewire_mirrors WHERE integration = ?`

/** Integration. */
export const READ_POSITION = 'SELECT position FROM notewire_mirrors WHERE integration = ?'

/** Integration, position, limit. */
export const LIST_CHANGES = `
  SELECT ${READ_STATE}, note.position, note.visible_since, note.first_visible FROM notewire_mirror_notes AS note
  WHERE note.integration = ? AND note.position > ?
  ORDER BY note.position LIMIT ?`

const WITH_CONTENT = 'LEFT JOIN notewire_mirror_content AS content ON content.row_id = note.row_id'

/** Integration, id. */
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

import { READ_CONTENT } from './content-columns.ts'
import { COUNTS, READ_STATE } from './note-columns.ts'

// The docstrings list the parameters.
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

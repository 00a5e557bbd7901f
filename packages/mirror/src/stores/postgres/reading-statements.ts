import { erasedNote, LATEST_HIDDEN_MS } from '../../notes/note-state.ts'
import { escapedJson, escapedText } from '../escaped-text.ts'
import type { StatesQuery } from '../mirror-store.ts'
import { COUNTED, stateJson } from '../state-json.ts'
import { COPY_JSON, SERVER_TIME, stateOf } from './note-columns.ts'
import { runBefore } from './runs.ts'

const STORED_NOTE = `json_build_object(
  'state', ${stateOf('notes')}, 'note', content.note, 'transcript', content.transcript, 'summary', content.summary)`

// The docstrings list the parameters. Each row is one column of JSON text, because drivers parse other types differently, and users configure that.

/** Integration. */
export const READ_PROGRESS = `SELECT json_build_object('serverTime', ${SERVER_TIME}, 'copy', ${COPY_JSON})::text AS result
  FROM (SELECT $1::text AS integration) AS asked LEFT JOIN notewire_mirrors AS mirrors ON mirrors.integration = asked.integration`

const COUNTS = Object.entries(COUNTED).map(
  ([name, isCounted]) => `'${name}', count(*) FILTER (WHERE ${isCounted('notes')})`,
)

/** Integration, the sequence number before a full listing or NULL. */
export const COUNT = `SELECT json_build_object(${COUNTS.join(', ')},
    'missing', count(*) FILTER (WHERE notes.presence = 'live' AND notes.evidence_start < asked.start_sequence),
    'held', (SELECT coalesce(json_agg(json_build_object('fullListingId', held_by_scan, 'notes', held) ORDER BY held_by_scan), '[]') FROM (
      SELECT missed.held_by_scan, count(*) AS held FROM notewire_mirror_notes AS missed
        WHERE missed.integration = asked.integration AND missed.presence = 'hidden' AND missed.held_by_scan IS NOT NULL
        GROUP BY missed.held_by_scan) AS holds))::text AS result
  FROM (SELECT $1::text AS integration, $2::bigint AS start_sequence) AS asked
  LEFT JOIN notewire_mirror_notes AS notes ON notes.integration = asked.integration
  GROUP BY asked.integration, asked.start_sequence`

/** The statement, and its values after the integration. Each begins with the index that finds the notes. */
export function listStates(query: StatesQuery): readonly [text: string, ...values: (string | number)[]] {
  const { limit } = query
  if ('missing' in query) return [LIST_MISSING, query.missing.startSequence, escapedText(query.after), limit]
  if ('heldBy' in query) return [LIST_HELD, escapedText(query.heldBy), escapedText(query.after), limit]
  if ('hiddenBefore' in query) return [LIST_OVERDUE, query.hiddenBefore, limit]
  if ('notErasedAfter' in query) return [LIST_NOT_ERASED, escapedText(query.notErasedAfter), ERASED, limit]
  return [LIST_CHANGES, query.changedAfter, limit]
}

const statesWhere = (condition: string, others = '') => `SELECT json_build_object(
    'state', ${stateOf('notes')}, 'position', position, 'visiblePosition', visible_since, 'firstVisiblePosition', first_visible${others})::text AS result
  FROM notewire_mirror_notes AS notes
  WHERE integration = $1 AND ${condition}`

const LIST_MISSING = statesWhere(`presence = 'live' AND evidence_start < $2 AND note_id > $3 ORDER BY note_id LIMIT $4`)
const LIST_HELD = statesWhere(`presence = 'hidden' AND held_by_scan = $2 AND note_id > $3 ORDER BY note_id LIMIT $4`)
const LIST_OVERDUE = statesWhere(
  `presence = 'hidden' AND (hidden_at <= $2::float8 OR hidden_at > $2::float8 + ${LATEST_HIDDEN_MS}) ORDER BY note_id LIMIT $3`,
)
const LIST_NOT_ERASED = statesWhere('note_id > $2 AND state <> $3::jsonb ORDER BY note_id LIMIT $4')
const ERASED = escapedJson(stateJson(erasedNote('')))
const LIST_CHANGES = statesWhere(
  'position > $2 AND position > 0 ORDER BY position LIMIT $3',
  `, 'run', ${runBefore('notes.integration', 'notes.position')}`,
)

export const GET_NOTE = `SELECT ${STORED_NOTE}::text AS result 
  FROM notewire_mirror_notes AS notes
  LEFT JOIN notewire_mirror_content AS content ON content.integration = notes.integration AND content.note_id = notes.note_id
  WHERE notes.integration = $1 AND notes.note_id = $2`

/** Integration, the id before the page, limit. */
// The page is limited before content is joined. Without statistics, PostgreSQL would join the content of all following notes.
export const LIST_NOTES = `SELECT ${STORED_NOTE}::text AS result
  FROM (
    SELECT * FROM notewire_mirror_notes
      WHERE integration = $1 AND presence = 'live' AND note_id > $2 ORDER BY note_id LIMIT $3
  ) AS notes
  LEFT JOIN notewire_mirror_content AS content ON content.integration = notes.integration AND content.note_id = notes.note_id
  ORDER BY notes.note_id`

/**
 * Up to this number of notes, a search reads the integration's rows instead of the index, which contains the words of all integrations. With
 * 10,000 integrations and two million notes, the search for a common word takes 5 ms instead of 500 ms.
 */
export const FEW_NOTES = 2_000

/** Integration, the highest number to count to. */
export const COUNT_CONTENT = `SELECT count(*)::text AS result
  FROM (SELECT FROM notewire_mirror_content WHERE integration = $1 LIMIT $2) AS counted`

/**
 * Whole words; the last word, which may be the beginning of one; integration; limit. The parser makes several lexemes of a word with a hyphen
 * (stand-u: stand-u, stand, u), so each of them is searched as a prefix.
 */
// The rank is that of any of the words: for all words, ts_rank compares every two positions of every two words, which takes seconds for sixteen
// frequent words.
const searchIn = (fence: string) => `SELECT ${STORED_NOTE}::text AS result
  FROM (
    SELECT notewire_mirror_query($1) && CASE numnode(last)
      WHEN 0 THEN last
      ELSE (replace(last::text, ''' & ''', ''':* & ''') || ':*')::tsquery
    END AS words
    FROM notewire_mirror_query($2) AS last
  ) AS wanted
  JOIN (SELECT * FROM notewire_mirror_content WHERE integration = $3 ${fence}) AS content ON content.search @@ words
  JOIN notewire_mirror_notes AS notes ON notes.integration = content.integration AND notes.note_id = content.note_id
  WHERE notes.presence = 'live'
  ORDER BY ts_rank(content.search, replace(words::text, ' & ', ' | ')::tsquery) DESC, notes.note_id LIMIT $4`

export const SEARCH_MANY = searchIn('')

// OFFSET 0 prevents PostgreSQL from using the index of words, which it would choose because it does not know how frequent a word is.
export const SEARCH_FEW = searchIn('OFFSET 0')

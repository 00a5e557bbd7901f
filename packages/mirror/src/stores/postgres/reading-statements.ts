import { storedState } from '../sql/note-states.ts'
import { COUNTED } from '../state-json.ts'
import { dialect } from './dialect.ts'

const STORED_NOTE = `json_build_object(
  'state', ${storedState(dialect).sql}, 'note', content.note, 'transcript', content.transcript, 'summary', content.summary)`

// The docstrings list the parameters. Each row is one column of JSON text, because drivers parse other types differently, and users configure that.

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

export const GET_NOTE = `SELECT ${STORED_NOTE}::text AS result 
  FROM notewire_mirror_notes AS note
  LEFT JOIN notewire_mirror_content AS content ON content.integration = note.integration AND content.note_id = note.note_id
  WHERE note.integration = $1 AND note.note_id = $2`

/** Integration, the id before the page, limit. */
// The page is limited before content is joined. Without statistics, PostgreSQL would join the content of all following notes.
export const LIST_NOTES = `SELECT ${STORED_NOTE}::text AS result
  FROM (
    SELECT * FROM notewire_mirror_notes
      WHERE integration = $1 AND presence = 'live' AND note_id > $2 ORDER BY note_id LIMIT $3
  ) AS note
  LEFT JOIN notewire_mirror_content AS content ON content.integration = note.integration AND content.note_id = note.note_id
  ORDER BY note.note_id`

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
  JOIN notewire_mirror_notes AS note ON note.integration = content.integration AND note.note_id = content.note_id
  WHERE note.presence = 'live'
  ORDER BY ts_rank(content.search, replace(words::text, ' & ', ' | ')::tsquery) DESC, note.note_id LIMIT $4`

export const SEARCH_MANY = searchIn('')

// OFFSET 0 prevents PostgreSQL from using the index of words, which it would choose because it does not know how frequent a word is.
export const SEARCH_FEW = searchIn('OFFSET 0')

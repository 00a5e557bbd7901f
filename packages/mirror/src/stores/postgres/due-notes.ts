import { stateOf, timeIn } from './note-columns.ts'

const IN_SQL = { dirty: 'NOT NULL', clean: 'NULL' } as const

const dueOf = (kind: 'dirty' | 'clean') => `(
      SELECT notes.due_at, ${kind === 'clean'} AS is_clean,
        json_build_object('version', notes.version, 'state', ${stateOf('notes')}, 'digests', notes.digests) AS note
      FROM notewire_mirror_notes AS notes
      WHERE notes.integration = asked.integration AND notes.due_at <= asked.due_by
        AND notes.dirty IS ${IN_SQL[kind]} AND notes.note_id <> ALL (asked.left_out)
      ORDER BY notes.due_at LIMIT asked.most)`

/** The first after those that are read, which are the first of their kind. */
const nextOf = (kind: 'dirty' | 'clean') => `(
      SELECT notes.due_at FROM notewire_mirror_notes AS notes
      WHERE notes.integration = asked.integration AND notes.due_at IS NOT NULL AND notes.dirty IS ${IN_SQL[kind]}
        AND notes.note_id <> ALL (asked.left_out)
      ORDER BY notes.due_at OFFSET read.${kind} LIMIT 1)`

/** Integration, the time up to which notes are due, limit, the ids of the notes to leave out. It locks no row, so it waits for no other transaction. */
// One statement reads the notes and the sequence as of the same moment: a hint that it sees has a sequence number that is not greater.
export const READ_DUE = `SELECT json_build_object(
    'sequence', notewire_mirror_sequence(asked.integration),
    'notes', read.notes,
    'nextDueAt', ${timeIn(`least(${nextOf('dirty')}, ${nextOf('clean')})`)})::text AS result
  FROM (
    SELECT $1::text AS integration, to_timestamp($2::float8 / 1000) AS due_by, $3::bigint AS most,
      ARRAY(SELECT jsonb_array_elements_text($4::jsonb)) AS left_out
  ) AS asked
  CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(due.note ORDER BY due.is_clean, due.due_at), '[]') AS notes,
      count(*) FILTER (WHERE NOT due.is_clean) AS dirty, count(*) FILTER (WHERE due.is_clean) AS clean
    FROM (
      SELECT * FROM (${dueOf('dirty')} UNION ALL ${dueOf('clean')}) AS either
      ORDER BY either.is_clean, either.due_at LIMIT asked.most) AS due
  ) AS read`

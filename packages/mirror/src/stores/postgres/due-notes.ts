import { firstOf, stateOf, timeIn } from './note-columns.ts'

const dueOf = (kind: 'dirty' | 'clean') => `(
      SELECT notes.note_id, notes.due_at, ${kind === 'clean'} AS is_clean,
        json_build_object('version', notes.version, 'state', ${stateOf('notes')}, 'digests', notes.digests) AS note
      FROM notewire_mirror_notes AS notes
      WHERE notes.integration = asked.integration AND notes.due_at <= asked.due_by
        AND notes.dirty IS ${kind === 'clean' ? 'NULL' : 'NOT NULL'} AND notes.note_id <> ALL (asked.left_out)
      ORDER BY notes.due_at LIMIT asked.most)`

const nextOf = (kind: 'dirty' | 'clean') =>
  firstOf(
    'due_at',
    `notes.dirty IS ${kind === 'clean' ? 'NULL' : 'NOT NULL'} AND notes.note_id <> ALL (asked.left_out || read.note_ids)`,
  )

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
      coalesce(array_agg(due.note_id), ARRAY[]::text[]) AS note_ids
    FROM (
      SELECT * FROM (${dueOf('dirty')} UNION ALL ${dueOf('clean')}) AS either
      ORDER BY either.is_clean, either.due_at LIMIT asked.most) AS due
  ) AS read`

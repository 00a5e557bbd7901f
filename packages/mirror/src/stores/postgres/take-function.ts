import { BY_INDEX, firstOf, stateOf, timeIn } from './note-columns.ts'

const nextOf = (condition: string) => firstOf('due_at', `${condition} AND notes.note_id <> ALL (taken)`)

/**
 * Takes due notes, and postpones them. It skips locked rows, which another transaction is taking or changing, so it never waits.
 */
// The sequence is read after the rows are locked: a hint that was stored before then has a sequence number that is not greater.
export const TAKE_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_mirror_take_due(for_integration text, due_by_ms float8, until_ms float8, at_most bigint)
RETURNS text LANGUAGE plpgsql
${BY_INDEX}
AS $function$
#variable_conflict use_variable
DECLARE
  moment timestamptz := to_timestamp(due_by_ms / 1000);
  taken text[];
  others text[];
BEGIN
  taken := ARRAY(
    SELECT notes.note_id FROM notewire_mirror_notes AS notes
      WHERE notes.integration = for_integration AND notes.due_at <= moment AND notes.dirty IS NOT NULL
      ORDER BY notes.due_at LIMIT at_most
      FOR NO KEY UPDATE SKIP LOCKED);
  others := ARRAY(
    SELECT notes.note_id FROM notewire_mirror_notes AS notes
      WHERE notes.integration = for_integration AND notes.due_at <= moment AND notes.dirty IS NULL
      ORDER BY notes.due_at LIMIT at_most - cardinality(taken)
      FOR NO KEY UPDATE SKIP LOCKED);
  taken := taken || others;
  UPDATE notewire_mirror_notes AS notes SET due_at = to_timestamp(until_ms / 1000), version = notes.version + 1
    WHERE notes.integration = for_integration AND notes.note_id = ANY (taken);

  RETURN (
    SELECT json_build_object(
      'sequence', notewire_mirror_sequence(for_integration),
      'notes', (
        SELECT coalesce(json_agg(
            json_build_object('version', notes.version, 'state', ${stateOf('notes')}, 'digests', notes.digests, 'note', content.note)
            ORDER BY place), '[]')
          FROM unnest(taken) WITH ORDINALITY AS row_taken (note_id, place)
          JOIN notewire_mirror_notes AS notes ON notes.integration = for_integration AND notes.note_id = row_taken.note_id
          LEFT JOIN notewire_mirror_content AS content ON content.integration = for_integration AND content.note_id = row_taken.note_id),
      'nextDueAt', ${timeIn(`least(${nextOf('notes.dirty IS NOT NULL')}, ${nextOf('notes.dirty IS NULL')})`)})
      FROM (SELECT for_integration AS integration) AS asked);
END
$function$;
`

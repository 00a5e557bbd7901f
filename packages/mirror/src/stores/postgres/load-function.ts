import { raw } from 'sql-template-tag'
import { progressIn } from '../sql/copy-state.ts'
import { versionedState } from '../sql/note-states.ts'
import { sql } from '../sql/sql.ts'
import { BY_INDEX } from './by-index.ts'
import { dialect } from './dialect.ts'

const NOTES = sql`SELECT ${versionedState(dialect)} AS item FROM notewire_mirror_notes AS note
  WHERE note.integration = for_integration AND note.note_id = ANY (wanted)`

const LOADED = dialect.object({
  serverTime: dialect.serverTime,
  sequence: raw('number'),
  progress: progressIn(sql`mirrors.progress`),
  heardAt: dialect.milliseconds(sql`mirrors.heard_at`),
  notes: dialect.arrayOf(NOTES),
})

/**
 * Returns the next number of an integration's sequence, and reads notes.
 *
 * The numbers are counted in an unlogged table, up to a limit. The limit is durable before a number below it is returned. A crash empties the
 * unlogged table: the next load that finds it empty, or the limit reached, raises the limit and continues after the previous one. A number is
 * therefore never repeated, and concurrent loads wait for each other only while one row is written in memory.
 */
// A counter in the mirror's row would make each load wait for the disk and for commits. Measured with 16 workers and a disk that takes 3 ms: a
// sixth of the loads per second, and half of the commits. A SEQUENCE can repeat numbers after a crash, is not copied by logical replication, and
// needs the right to create one for each integration.
//
// This function is the only code that locks the sequence and then the mirror, so no deadlock is possible.
export const LOAD_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_mirror_load_notes(for_integration text, note_ids text)
RETURNS text LANGUAGE plpgsql SET lock_timeout = '10s' ${BY_INDEX}
AS $function$
#variable_conflict use_variable
DECLARE
  number bigint;
  durable_limit bigint;
  wanted text[] := ARRAY(SELECT jsonb_array_elements_text(note_ids::jsonb));
BEGIN
  LOOP
    SELECT sequences.sequence, sequences.sequence_limit INTO number, durable_limit
      FROM notewire_mirror_sequences AS sequences WHERE sequences.integration = for_integration FOR NO KEY UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO notewire_mirror_sequences (integration, sequence, sequence_limit) VALUES (for_integration, 0, 0) ON CONFLICT DO NOTHING;
  END LOOP;
  IF number >= durable_limit THEN
    IF current_setting('synchronous_commit') = 'off' THEN
      PERFORM set_config('synchronous_commit', 'local', true);
    END IF;
    INSERT INTO notewire_mirrors AS mirrors (integration, sequence_limit) VALUES (for_integration, 1000)
      ON CONFLICT (integration) DO UPDATE SET sequence_limit = mirrors.sequence_limit + 1000
      RETURNING mirrors.sequence_limit INTO durable_limit;
    number := durable_limit - 1000;
  END IF;
  number := number + 1;
  UPDATE notewire_mirror_sequences AS sequences SET sequence = number, sequence_limit = durable_limit
    WHERE sequences.integration = for_integration;

  RETURN (SELECT ${LOADED.sql} FROM notewire_mirrors AS mirrors WHERE mirrors.integration = for_integration);
END
$function$;
`

/** Returns the latest number of an integration's sequence; after a crash, a number that may be greater, but not greater than the next one. */
export const SEQUENCE_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_mirror_sequence(for_integration text)
RETURNS bigint LANGUAGE sql STABLE AS $function$
  SELECT coalesce(
    (SELECT sequence FROM notewire_mirror_sequences WHERE integration = for_integration),
    (SELECT sequence_limit FROM notewire_mirrors WHERE integration = for_integration),
    0)
$function$;
`

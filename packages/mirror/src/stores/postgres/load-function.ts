import { BY_INDEX } from './by-index.ts'
import { stateJson, timeIn } from './note-columns.ts'

/**
 * Hands out the next number of a scope's sequence, and reads notes.
 *
 * The number is counted in an unlogged table, up to a limit that is durable before any number below it is handed out. A crash empties
 * that table; whoever finds it empty, or the limit reached, sets the next limit and goes on behind the last one. So a number never
 * comes back, and those who load wait for one another no longer than it takes to write a row in memory.
 */
// Counting in the mirror's own row instead would have each load wait for the disk, one after the other, and behind commits: with 16
// workers, and 3 ms for the disk, a sixth of the loads and half of the commits a second. A SEQUENCE forgets in a crash what it handed out last, is
// left behind by logical replication, and one for each scope needs the right to make it.
//
// Locks are taken on the sequence and then on the mirror, by nobody else together: nobody waits in a circle.
export const LOAD_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_mirror_load_1(for_scope text, note_ids text)
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
      FROM notewire_mirror_sequences AS sequences WHERE sequences.scope = for_scope FOR NO KEY UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO notewire_mirror_sequences (scope, sequence, sequence_limit) VALUES (for_scope, 0, 0) ON CONFLICT DO NOTHING;
  END LOOP;
  IF number >= durable_limit THEN
    IF current_setting('synchronous_commit') = 'off' THEN
      PERFORM set_config('synchronous_commit', 'local', true);
    END IF;
    INSERT INTO notewire_mirrors AS mirrors (scope, sequence_limit) VALUES (for_scope, 1000)
      ON CONFLICT (scope) DO UPDATE SET sequence_limit = mirrors.sequence_limit + 1000
      RETURNING mirrors.sequence_limit INTO durable_limit;
    number := durable_limit - 1000;
  END IF;
  number := number + 1;
  UPDATE notewire_mirror_sequences AS sequences SET sequence = number, sequence_limit = durable_limit
    WHERE sequences.scope = for_scope;

  RETURN (
    SELECT json_build_object(
      'sequence', number,
      'progress', mirrors.progress,
      'progress_version', mirrors.progress_version,
      'heard_at', ${timeIn('mirrors.heard_at')},
      'notes', (
        SELECT coalesce(json_agg(json_build_object('version', notes.version, 'state', ${stateJson('notes')})), '[]')
          FROM notewire_mirror_notes AS notes
          WHERE notes.scope = for_scope AND notes.note_id = ANY (wanted)))
      FROM notewire_mirrors AS mirrors WHERE mirrors.scope = for_scope);
END
$function$;
`

import { MAX_WAIT_MS } from '../../integrations/integration-store.ts'
import { OLD_PROCESS } from '../old-process.ts'
import { BY_INDEX, COPY_JSON, SERVER_TIME } from './note-columns.ts'

export const INTEGRATIONS_TABLE = `
CREATE TABLE IF NOT EXISTS notewire_integrations (
  integration text COLLATE "C" NOT NULL PRIMARY KEY,
  record      jsonb NOT NULL, -- state, schedule and endpoint; times are milliseconds since the Unix epoch, by the clock of the server
  generation  text GENERATED ALWAYS AS (record->>'generation') STORED,               -- id of this copy
  version     bigint GENERATED ALWAYS AS ((record->>'version')::bigint) STORED,      -- how often this row was written, except by hints
  hints       bigint GENERATED ALWAYS AS ((record->>'hints')::bigint) STORED,        -- number of hints so far
  token       bigint GENERATED ALWAYS AS ((record->>'token')::bigint) STORED,        -- fencing token: how often a worker took it
  lease_until float8 GENERATED ALWAYS AS ((record->>'leaseUntil')::float8) STORED,   -- end of the lease of the worker that has it
  due_at      float8 GENERATED ALWAYS AS ((record->>'dueAt')::float8) STORED,        -- when the next work is due
  rank        integer GENERATED ALWAYS AS ((record->>'rank')::integer) STORED,       -- of the work: 0 hint, 1 poll, 2 backfill, 3 scan
  key_print   text UNIQUE GENERATED ALWAYS AS (record->>'keyPrint') STORED           -- identifies the API key and its service
) WITH (fillfactor = 50);

CREATE INDEX IF NOT EXISTS notewire_integrations_due ON notewire_integrations (rank, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_contradicted ON notewire_mirror_notes (integration)
  WHERE contradicted_since IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_held ON notewire_mirror_notes (integration) WHERE held_by_scan IS NOT NULL;
`

/**
 * Refuses the listings of `createMirror` of version 0.1.0, which take another lease, once a later version has worked on the copy. Its receivers, and
 * `createMirrors` of version 0.1.0, go on.
 */
export const REFUSE_LISTING_WITHOUT_LEASE = `
CREATE OR REPLACE FUNCTION notewire_mirror_refuse_listing()
RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF EXISTS (SELECT FROM notewire_integrations AS integrations
    WHERE integrations.integration = NEW.integration AND integrations.record->>'isSingle' IS NOT NULL)
  THEN
    RAISE EXCEPTION '${OLD_PROCESS}';
  END IF;
  RETURN NEW;
END
$function$;

IF NOT EXISTS (
  SELECT FROM pg_trigger WHERE tgrelid = 'notewire_mirrors'::regclass AND tgname = 'notewire_mirrors_listed_without_lease'
) THEN
  CREATE TRIGGER notewire_mirrors_listed_without_lease BEFORE UPDATE OF progress_version ON notewire_mirrors
    FOR EACH ROW WHEN (NEW.progress_version <> OLD.progress_version) EXECUTE FUNCTION notewire_mirror_refuse_listing();
END IF;
`

// A lease that ends later was written before the clock was set back.
const FREE =
  '(integrations.lease_until IS NULL OR integrations.lease_until <= now_ms OR integrations.lease_until > latest_end)' +
  " AND (includes_single OR integrations.record->>'isSingle' IS NULL)"

/**
 * `notewire_integrations_take_due` searches rank by rank, so that each search reads one entry of the index. It skips locked rows, which a hint or
 * another worker is changing. If no integration is due, it writes nothing. It reads the copy after it has taken the integration, so that it
 * sees everything that the previous worker has committed.
 *
 * `notewire_integrations_erase_all` locks the notes first and the integration last, in the same order as commits.
 */
export const INTEGRATION_FUNCTIONS = `
CREATE OR REPLACE FUNCTION notewire_integrations_take_due(
  now_ms float8, until_ms float8, max_rank integer, worker text, only_this text, is_forced boolean, includes_single boolean)
RETURNS text LANGUAGE plpgsql ${BY_INDEX} AS $function$
#variable_conflict use_variable
DECLARE
  latest_due float8 := now_ms + ${MAX_WAIT_MS};
  latest_end float8 := now_ms + 2 * (until_ms - now_ms);
  taken text;
  result jsonb;
BEGIN
  FOR wanted IN 0..max_rank LOOP
    SELECT integrations.integration INTO taken FROM notewire_integrations AS integrations
      WHERE integrations.rank = wanted AND (integrations.due_at <= now_ms OR (is_forced AND only_this IS NOT NULL)) AND ${FREE}
        AND (only_this IS NULL OR integrations.integration = only_this)
      ORDER BY integrations.due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    EXIT WHEN FOUND;
    -- Written before the clock was set back.
    SELECT integrations.integration INTO taken FROM notewire_integrations AS integrations
      WHERE integrations.rank = wanted AND integrations.due_at > latest_due AND ${FREE}
        AND (only_this IS NULL OR integrations.integration = only_this)
      ORDER BY integrations.due_at DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    EXIT WHEN FOUND;
  END LOOP;
  IF taken IS NULL THEN
    RETURN json_build_object('serverTime', ${SERVER_TIME});
  END IF;
  UPDATE notewire_integrations AS integrations
    SET record = integrations.record || jsonb_build_object(
      'version', integrations.version + 1, 'token', integrations.token + 1, 'leaseUntil', until_ms, 'worker', worker)
    WHERE integrations.integration = taken RETURNING integrations.record INTO result;
  RETURN (
    SELECT json_build_object('serverTime', ${SERVER_TIME}, 'record', result, 'copy', ${COPY_JSON})
      FROM (SELECT taken AS integration) AS asked LEFT JOIN notewire_mirrors AS mirrors ON mirrors.integration = asked.integration);
END
$function$;

CREATE OR REPLACE FUNCTION notewire_integrations_erase_all(
  for_integration text, known_generation text, known_version bigint, known_hints bigint, at_most bigint
) RETURNS text LANGUAGE plpgsql SET lock_timeout = '10s' AS $function$
#variable_conflict use_variable
DECLARE
  erased text[];
  is_empty boolean;
BEGIN
  erased := ARRAY(
    SELECT notes.note_id FROM notewire_mirror_notes AS notes WHERE notes.integration = for_integration
      ORDER BY notes.note_id LIMIT at_most FOR UPDATE);
  DELETE FROM notewire_mirror_content AS content WHERE content.integration = for_integration AND content.note_id = ANY (erased);
  DELETE FROM notewire_mirror_notes AS notes WHERE notes.integration = for_integration AND notes.note_id = ANY (erased);
  is_empty := cardinality(erased) < at_most;
  IF is_empty THEN
    DELETE FROM notewire_mirror_consumer_notes AS consumed WHERE consumed.integration = for_integration;
    DELETE FROM notewire_mirror_consumers AS consumers WHERE consumers.integration = for_integration;
    DELETE FROM notewire_mirror_sequences AS sequences WHERE sequences.integration = for_integration;
    DELETE FROM notewire_mirrors AS mirrors WHERE mirrors.integration = for_integration;
    DELETE FROM notewire_mirror_runs AS runs WHERE runs.integration = for_integration;
  END IF;
  PERFORM FROM notewire_integrations AS integrations WHERE integrations.integration = for_integration
    AND integrations.generation = known_generation AND integrations.version = known_version AND integrations.hints = known_hints
    FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION SQLSTATE 'NW002';
  END IF;
  IF is_empty THEN
    DELETE FROM notewire_integrations AS integrations WHERE integrations.integration = for_integration;
  END IF;
  RETURN CASE WHEN is_empty THEN 'written' ELSE 'more' END;
EXCEPTION WHEN SQLSTATE 'NW002' THEN
  RETURN 'conflict';
END
$function$;
`

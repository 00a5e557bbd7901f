import { MAX_WAIT_MS } from '../../interfaces/integration-store.ts'
import { BY_INDEX } from './by-index.ts'
import { copyJson, timeIn } from './note-columns.ts'

export const INTEGRATIONS_TABLE = `
CREATE TABLE IF NOT EXISTS notewire_integrations (
  integration    text COLLATE "C" NOT NULL PRIMARY KEY,
  generation     text NOT NULL,    -- id of this copy
  state          text NOT NULL,    -- 'active', 'parked' or 'removing'
  parked_because text,
  due_at         timestamptz,      -- when the next work is due; while a worker has it, the end of its lease
  rank           integer NOT NULL, -- of the work: 0 hint, 1 poll, 2 backfill, 3 scan
  hints          bigint NOT NULL,  -- number of hints so far
  token          bigint NOT NULL,  -- fencing token: how often a worker took it
  is_held        boolean NOT NULL, -- whether a worker has it
  failures       integer NOT NULL, -- consecutive
  paused_until   timestamptz,      -- no request is sent before this time
  key_print      text UNIQUE,      -- identifies the API key and its service
  poll_every_ms  float8,
  endpoint       jsonb
) WITH (fillfactor = 50);

CREATE INDEX IF NOT EXISTS notewire_integrations_due ON notewire_integrations (rank, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_integrations_held ON notewire_integrations (due_at) WHERE is_held;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_contradicted ON notewire_mirror_notes (integration)
  WHERE contradicted_since IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_held ON notewire_mirror_notes (integration) WHERE held_by_scan IS NOT NULL;
`

/**
 * SQL for a row of integrations as JSON.
 *
 * @param ahead  SQL for how much the clock of the server is ahead of the caller's, in milliseconds
 */
export function integrationJson(row: string, ahead = '0'): string {
  const time = (name: string) => `${timeIn(`${row}.${name}`)} - ${ahead}`
  return `json_build_object(
    'integration', ${row}.integration, 'generation', ${row}.generation, 'state', ${row}.state,
    'parkedBecause', ${row}.parked_because, 'dueAt', ${time('due_at')}, 'rank', ${row}.rank, 'hints', ${row}.hints,
    'token', ${row}.token, 'failures', ${row}.failures, 'pausedUntil', ${time('paused_until')},
    'keyPrint', ${row}.key_print, 'pollEveryMs', ${row}.poll_every_ms, 'endpoint', ${row}.endpoint)::text`
}

const TAKEN = `integrations.integration = for_integration AND integrations.generation = fence_generation
      AND integrations.token = fence_token`

/**
 * SQL for how much the clock of the server is ahead of a clock that shows `now`, in milliseconds. 0 if `now` is NULL: the caller then uses the
 * clock of the server.
 */
export function aheadOf(now: string): string {
  return `notewire_integrations_ahead_1(${now})`
}

/**
 * `notewire_integrations_now_1` is the present of the schedule, whatever the time by the clock of the caller. Tests replace it.
 *
 * `notewire_integrations_take_2` searches rank by rank, so that each search reads one entry of the index. It skips locked rows, which a hint or
 * another worker is changing. If no integration is due, it writes nothing. It reads the copy after it has taken the integration, so that it
 * sees everything that the previous worker has committed.
 *
 * `notewire_integrations_erase_1` locks the notes first and the integration last, in the same order as commits.
 */
export const INTEGRATION_FUNCTIONS = `
CREATE OR REPLACE FUNCTION notewire_integrations_now_1(caller_ms float8) RETURNS timestamptz LANGUAGE sql AS $function$
  SELECT clock_timestamp()
$function$;

CREATE OR REPLACE FUNCTION notewire_integrations_ahead_1(caller_ms float8) RETURNS float8 LANGUAGE plpgsql AS $function$
BEGIN
  -- Rounded up, so that what this server made due is due for a later call.
  RETURN coalesce(ceil(extract(epoch FROM notewire_integrations_now_1(caller_ms)) * 1000)::float8 - caller_ms, 0);
END
$function$;

CREATE OR REPLACE FUNCTION notewire_integrations_take_2(now_ms float8, until_ms float8, most integer, only_this text)
RETURNS text LANGUAGE plpgsql ${BY_INDEX} AS $function$
#variable_conflict use_variable
DECLARE
  ahead float8 := ${aheadOf('now_ms')};
  moment timestamptz := to_timestamp((now_ms + ahead) / 1000);
  latest_due timestamptz := moment + ${MAX_WAIT_MS} * interval '1 millisecond';
  latest_end timestamptz := moment + 2 * (until_ms - now_ms) * interval '1 millisecond';
  taken text;
  result text;
BEGIN
  FOR wanted IN 0..most LOOP
    SELECT integrations.integration INTO taken FROM notewire_integrations AS integrations
      WHERE integrations.rank = wanted AND integrations.due_at <= moment
        AND (only_this IS NULL OR integrations.integration = only_this)
      ORDER BY integrations.due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    EXIT WHEN FOUND;
    -- Written before the clock was set back.
    SELECT integrations.integration INTO taken FROM notewire_integrations AS integrations
      WHERE integrations.rank = wanted AND integrations.due_at > latest_due
        AND (only_this IS NULL OR integrations.integration = only_this)
      ORDER BY integrations.due_at DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    EXIT WHEN FOUND;
  END LOOP;
  IF taken IS NULL THEN
    SELECT integrations.integration INTO taken FROM notewire_integrations AS integrations
      WHERE integrations.is_held AND integrations.due_at > latest_end AND integrations.rank <= most
        AND (only_this IS NULL OR integrations.integration = only_this)
      ORDER BY integrations.due_at DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
  END IF;
  IF taken IS NULL THEN
    RETURN NULL;
  END IF;
  UPDATE notewire_integrations AS integrations
    SET token = integrations.token + 1, is_held = true, due_at = to_timestamp((until_ms + ahead) / 1000)
    WHERE integrations.integration = taken RETURNING ${integrationJson('integrations', 'ahead')} INTO result;
  RETURN (
    SELECT json_build_object('record', result::json, 'copy', ${copyJson('ahead')})
      FROM (SELECT taken AS integration) AS asked LEFT JOIN notewire_mirrors AS mirrors ON mirrors.integration = asked.integration);
END
$function$;

CREATE OR REPLACE FUNCTION notewire_integrations_finish_1(
  for_integration text, fence_generation text, fence_token bigint, next text, hints_seen bigint, heard_due_ms float8,
  now_ms float8
) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '10s' AS $function$
#variable_conflict use_variable
DECLARE
  work jsonb := next::jsonb;
  ahead float8 := ${aheadOf('now_ms')};
BEGIN
  UPDATE notewire_integrations AS integrations SET
    is_held = false,
    state = work->>'state',
    parked_because = work->>'parkedBecause',
    failures = (work->>'failures')::integer,
    paused_until = to_timestamp(((work->>'pausedUntil')::float8 + ahead) / 1000),
    poll_every_ms = (work->>'pollEveryMs')::float8,
    endpoint = nullif(work->'endpoint', 'null'),
    rank = CASE WHEN integrations.hints = hints_seen THEN (work->>'rank')::integer ELSE 0 END,
    due_at = to_timestamp(
      (CASE WHEN integrations.hints = hints_seen THEN (work->>'dueAt')::float8 ELSE heard_due_ms END + ahead) / 1000)
    WHERE ${TAKEN};
  RETURN FOUND;
END
$function$;

CREATE OR REPLACE FUNCTION notewire_integrations_claim_1(
  for_integration text, fence_generation text, fence_token bigint, print text
) RETURNS text LANGUAGE plpgsql SET lock_timeout = '10s' AS $function$
#variable_conflict use_variable
BEGIN
  UPDATE notewire_integrations AS integrations SET key_print = print WHERE ${TAKEN};
  RETURN CASE WHEN FOUND THEN 'claimed' ELSE 'fenced' END;
EXCEPTION WHEN unique_violation THEN
  RETURN 'shared';
END
$function$;

CREATE OR REPLACE FUNCTION notewire_integrations_erase_1(
  for_integration text, fence_generation text, fence_token bigint, at_most bigint
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
  END IF;
  PERFORM FROM notewire_integrations AS integrations WHERE ${TAKEN} AND integrations.state = 'removing' FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION SQLSTATE 'NW002';
  END IF;
  IF is_empty THEN
    DELETE FROM notewire_integrations AS integrations WHERE integrations.integration = for_integration;
  END IF;
  RETURN CASE WHEN is_empty THEN 'done' ELSE 'more' END;
EXCEPTION WHEN SQLSTATE 'NW002' THEN
  RETURN 'fenced';
END
$function$;
`

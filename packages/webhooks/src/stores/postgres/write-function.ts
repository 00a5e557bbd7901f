import { type AppliedRevision, type NoteChange, raiseRevision } from '../../interfaces/revision-gate.ts'
import type { ClaimRequest } from '../../interfaces/store.ts'
import { versionOf } from './look-and-claim.ts'

/** How long a statement waits for a lock, and in a receiver's transaction each statement of the handler. */
const LOCK_TIMEOUT = '2s'

/**
 * How long a receiver's transaction may wait for its next statement. Afterwards, PostgreSQL ends the connection: the locks of a worker whose
 * host has disappeared are free within 20 s.
 */
const IDLE_TIMEOUT = '10s'

/** The SQLSTATE if the event has changed after the note was written. */
export const EVENT_CHANGED = 'NW001'

/**
 * Writes the rows of an event and of its note, if neither has changed. All changes of the tables are made here: a claim, its renewal, its
 * commit and its release, and the mark of an event in a receiver's transaction, whose rows are then locked until it ends.
 *
 * A version is that of a row as it was read; null if there was none; or `<fencing token>-_%`, the version of every live lease with this token.
 * With the latter, the token stays. Otherwise it is the time in microseconds, or one more than the last token if that is higher, so that all
 * earlier claims and looks are invalid. Tokens grow even if the row was pruned in between, or if a failover lost the last claims.
 *
 * The order is the note before the event, so that no deadlock is possible. The result is null if a row has changed, else the token.
 *
 * `lease_ms` is null if there is no lease afterwards; `keep_ms`, if the event is not marked as processed; `new_applied`, if what was applied
 * to the note stays. The settings end with the transaction, so that PgBouncer may give the connection to another client. A claim has a shorter time limit
 * of its own.
 */
export const WRITE_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_write(
  for_integration text, for_event text, event_version text, for_note text, note_version text,
  lease_ms float8, keep_ms float8, new_applied json
) RETURNS text LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
DECLARE
  moment timestamptz := clock_timestamp();
  ends_at timestamptz := moment + lease_ms * interval '1 millisecond';
  keep_until timestamptz := moment + keep_ms * interval '1 millisecond';
  token bigint := split_part(event_version, '-', 1)::bigint;
BEGIN
  IF event_version LIKE '%\\%' THEN
    NULL;
  ELSE
    token := greatest(
      token + 1, split_part(note_version, '-', 1)::bigint + 1, (extract(epoch FROM moment) * 1000000)::bigint);
  END IF;
  IF event_version LIKE '%\\%' OR keep_ms IS NOT NULL THEN
    PERFORM set_config('lock_timeout', '${LOCK_TIMEOUT}', true),
      set_config('idle_in_transaction_session_timeout', '${IDLE_TIMEOUT}', true);
  END IF;

  IF for_note IS NULL THEN
    NULL;
  ELSIF note_version IS NULL THEN
    INSERT INTO notewire_notes (integration, note_id, fencing_token, lease_ends_at, kept_until, applied)
      VALUES (
        for_integration, for_note, token, ends_at, CASE WHEN new_applied IS NOT NULL THEN keep_until END, new_applied)
      ON CONFLICT DO NOTHING;
  ELSIF new_applied IS NULL THEN
    UPDATE notewire_notes SET fencing_token = token, lease_ends_at = ends_at
      WHERE integration = for_integration AND note_id = for_note AND ${versionOf('')} LIKE note_version;
  ELSE
    UPDATE notewire_notes SET
      fencing_token = token,
      lease_ends_at = ends_at,
      kept_until = greatest(kept_until, keep_until),
      applied = new_applied
      WHERE integration = for_integration AND note_id = for_note AND ${versionOf('')} LIKE note_version;
  END IF;
  IF for_note IS NOT NULL AND NOT FOUND THEN
    RETURN NULL;
  END IF;

  IF event_version IS NULL THEN
    INSERT INTO notewire_events (integration, event_id, fencing_token, lease_ends_at, kept_until)
      VALUES (for_integration, for_event, token, ends_at, keep_until)
      ON CONFLICT DO NOTHING;
  ELSE
    UPDATE notewire_events SET
      fencing_token = token,
      lease_ends_at = ends_at,
      kept_until = greatest(kept_until, keep_until),
      forgotten = forgotten AND keep_ms IS NULL
      WHERE integration = for_integration AND event_id = for_event AND ${versionOf('')} LIKE event_version;
  END IF;
  IF FOUND THEN
    RETURN token;
  ELSIF for_note IS NULL THEN
    RETURN NULL;
  END IF;
  -- The note was changed in this transaction.
  RAISE EXCEPTION 'another worker has taken the event' USING ERRCODE = '${EVENT_CHANGED}';
END
$function$;
`

// With types, because some drivers send every value as a text.
export const WRITE = 'SELECT notewire_write($1, $2, $3, $4, $5, $6::float8, $7::float8, $8::json) AS result'

export interface WriteRow {
  /** The fencing token. `null` if a row has changed. */
  readonly result: string | null
}

/** Three thousand years: callers may pass `Infinity`, and PostgreSQL supports no more than about 290,000 years. */
const LONGEST_KEPT_MS = 1e14

/** What to write, and what the rows must be. */
interface Writing {
  readonly eventVersion: string | undefined
  readonly noteVersion: string | undefined
  readonly leaseMs?: number
  readonly keepMs?: number
  /** What was applied to the note before `change`. */
  readonly applied?: AppliedRevision | undefined
  readonly change?: NoteChange | undefined
}

/** The values of `WRITE`. */
export function writeValues({ integration, eventId, note }: ClaimRequest, writing: Writing): unknown[] {
  const { eventVersion, noteVersion, leaseMs, keepMs, applied, change } = writing
  return [
    integration,
    eventId,
    eventVersion ?? null,
    note?.noteId ?? null,
    noteVersion ?? null,
    leaseMs ?? null,
    keepMs === undefined ? null : Math.min(keepMs, LONGEST_KEPT_MS),
    change === undefined ? null : JSON.stringify(raiseRevision(applied, change)),
  ]
}

/** The version of every live lease with this fencing token. */
export function leaseVersion(fencingToken: string): string {
  return `${fencingToken}-_%`
}

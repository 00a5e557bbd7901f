import type { AppliedRevision, NoteChange } from '../../interfaces/revision-gate.ts'
import type { ClaimRequest } from '../../interfaces/store.ts'
import type { Seen } from '../../interfaces/transaction-store.ts'
import { EVENT_CHANGED, LOCK_TIMEOUT, NEXT_TOKEN } from './fencing.ts'
import { appliedAfter, keptMs } from './lease-functions.ts'
import { READ_ROWS } from './look-function.ts'

/**
 * How long a receiver's transaction may wait for its next statement. Afterwards, PostgreSQL ends the connection: the locks of a worker whose
 * host has disappeared are free within 20 s.
 */
const IDLE_TIMEOUT = '10s'

/**
 * Marks an event as processed in a receiver's transaction, and records what is applied to its note, if neither row has changed since the look.
 * That locks both rows until the transaction ends: the note before the event, so that no deadlock is possible.
 *
 * A version is that of a row in the look; NULL if there was none. The result is the fencing token of the mark, or NULL if a row has changed. The
 * settings end with the transaction, so that PgBouncer may give the connection to another client.
 */
export const HOLD_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_hold_event(
  for_integration text, for_event text, event_version text, for_note text, note_version text,
  keep_ms float8, new_applied json
) RETURNS text LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
DECLARE
  moment timestamptz := clock_timestamp();
  keep_until timestamptz := moment + keep_ms * interval '1 millisecond';
  event record;
  note record;
  new_token bigint;
BEGIN
  PERFORM set_config('lock_timeout', '${LOCK_TIMEOUT}', true),
    set_config('idle_in_transaction_session_timeout', '${IDLE_TIMEOUT}', true);${READ_ROWS}
  IF event.version IS DISTINCT FROM event_version OR note.version IS DISTINCT FROM note_version THEN
    RETURN NULL;
  END IF;
  new_token := ${NEXT_TOKEN};

  IF for_note IS NOT NULL THEN
    IF note_version IS NULL THEN
      INSERT INTO notewire_notes (integration, note_id, fencing_token, kept_until, applied)
        VALUES (
          for_integration, for_note, new_token, CASE WHEN new_applied IS NOT NULL THEN keep_until END, new_applied)
        ON CONFLICT DO NOTHING;
    ELSE
      UPDATE notewire_notes SET
        fencing_token = new_token,
        lease_ends_at = NULL,
        kept_until = CASE WHEN new_applied IS NULL THEN kept_until ELSE greatest(kept_until, keep_until) END,
        applied = coalesce(new_applied, applied)
        WHERE integration = for_integration AND note_id = for_note AND xmin::text = note_version;
    END IF;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  END IF;

  IF event_version IS NULL THEN
    INSERT INTO notewire_events (integration, event_id, fencing_token, kept_until)
      VALUES (for_integration, for_event, new_token, keep_until)
      ON CONFLICT DO NOTHING;
  ELSE
    UPDATE notewire_events SET
      fencing_token = new_token,
      lease_ends_at = NULL,
      kept_until = greatest(kept_until, keep_until),
      forgotten = false
      WHERE integration = for_integration AND event_id = for_event AND xmin::text = event_version;
  END IF;
  IF FOUND THEN
    RETURN new_token::text;
  ELSIF for_note IS NULL THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'another worker has taken the event' USING ERRCODE = '${EVENT_CHANGED}';
END
$function$;
`

// With types, because some drivers send every value as a text.
export const HOLD = 'SELECT notewire_hold_event($1, $2, $3, $4, $5, $6::float8, $7::json) AS token'

export interface HoldRow {
  /** The fencing token of the mark. `null` if a row has changed. */
  readonly token: string | null
}

export function holdValues(request: ClaimRequest, seen: Seen, change: NoteChange | undefined): unknown[] {
  const { integration, eventId, note, keepMs } = request
  const { eventVersion, noteVersion, applied } = seen
  const ids = [integration, eventId, eventVersion ?? null, note?.noteId ?? null, noteVersion ?? null]
  return [...ids, keptMs(keepMs), appliedAfter(applied, change)]
}

/** Records another change of the note, in the transaction that holds it. It returns no row if the handler has ended that transaction. */
export const REVISE = `UPDATE notewire_notes SET
  applied = coalesce($4::json, applied), kept_until = greatest(kept_until, clock_timestamp() + $5::float8 * interval '1 millisecond')
  WHERE integration = $1 AND note_id = $2 AND fencing_token = $3::bigint RETURNING 'revised' AS result`

export function reviseValues(
  { integration, note, keepMs }: ClaimRequest,
  token: string,
  applied: AppliedRevision | undefined,
  change: NoteChange | undefined,
): unknown[] {
  return [integration, note?.noteId ?? null, token, appliedAfter(applied, change), keptMs(keepMs)]
}

import type { ClaimRequest } from '../../interfaces/store.ts'
import { EVENT_CHANGED, NEXT_TOKEN } from './fencing.ts'
import { KNOWN_RESULTS, type KnownRow, LOOK_VARIABLES, READ_ROWS, SET_KNOWN_RESULTS } from './look-function.ts'

/**
 * Claims an event and its note, unless the event is processed or one of them has a lease.
 *
 * It reads both rows without a lock, and leases the note and then the event, so that no deadlock is possible, each on the condition that the row
 * has not changed since. The result is therefore the same as under a lock, and the later of two concurrent claims has no lease.
 *
 * It waits only for milliseconds, for another statement on the same rows. A transaction of `postgresTransactions` locks them for longer: then
 * it fails with `55P03` after a quarter of a second, which the store returns as `busy`.
 *
 * It returns the fencing token, or NULL without a lease, and what the rows contained before.
 */
export const CLAIM_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_claim_event(
  for_integration text, for_event text, for_note text, lease_ms float8,
  OUT new_fencing_token text, ${KNOWN_RESULTS}
) LANGUAGE plpgsql SET lock_timeout = '250ms' AS $function$
#variable_conflict use_variable
DECLARE${LOOK_VARIABLES}
  ends_at timestamptz := moment + lease_ms * interval '1 millisecond';
  new_token bigint;
BEGIN${READ_ROWS}${SET_KNOWN_RESULTS}
  IF event_state = 'processed' OR lease_state = 'leased' THEN
    RETURN;
  END IF;
  new_token := ${NEXT_TOKEN};

  IF for_note IS NOT NULL THEN
    IF note.version IS NULL THEN
      INSERT INTO notewire_notes (integration, note_id, fencing_token, lease_ends_at)
        VALUES (for_integration, for_note, new_token, ends_at)
        ON CONFLICT DO NOTHING;
    ELSE
      UPDATE notewire_notes SET fencing_token = new_token, lease_ends_at = ends_at
        WHERE integration = for_integration AND note_id = for_note AND xmin::text = note.version;
    END IF;
    IF NOT FOUND THEN
      RETURN;
    END IF;
  END IF;

  IF event.version IS NULL THEN
    INSERT INTO notewire_events (integration, event_id, fencing_token, lease_ends_at)
      VALUES (for_integration, for_event, new_token, ends_at)
      ON CONFLICT DO NOTHING;
  ELSE
    UPDATE notewire_events SET fencing_token = new_token, lease_ends_at = ends_at
      WHERE integration = for_integration AND event_id = for_event AND xmin::text = event.version;
  END IF;
  IF FOUND THEN
    new_fencing_token := new_token::text;
  ELSIF for_note IS NOT NULL THEN
    RAISE EXCEPTION 'another worker has taken the event' USING ERRCODE = '${EVENT_CHANGED}';
  END IF;
END
$function$;
`

// With types, because some drivers send every value as a text.
export const CLAIM = 'SELECT * FROM notewire_claim_event($1, $2, $3, $4::float8)'

export interface ClaimRow extends KnownRow {
  readonly new_fencing_token: string | null
}

export function claimValues({ integration, eventId, note, leaseMs }: ClaimRequest): unknown[] {
  return [integration, eventId, note?.noteId ?? null, leaseMs]
}

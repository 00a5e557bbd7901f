import type { AppliedRevision } from '../../interfaces/revision-gate.ts'
import type { KnownEvent } from '../look-result.ts'

/**
 * PL/pgSQL: reads, without a lock, the rows of an event and of its note into `event` and `note`. Two reads cost less than one with two joins.
 *
 * `version` is the transaction that wrote the row (`xmin`): every write changes it. It is NULL without a row.
 */
export const READ_ROWS = `
  SELECT xmin::text AS version, fencing_token, lease_ends_at, kept_until, forgotten INTO event
    FROM notewire_events WHERE integration = for_integration AND event_id = for_event;
  SELECT xmin::text AS version, fencing_token, lease_ends_at, applied INTO note
    FROM notewire_notes WHERE integration = for_integration AND note_id = for_note;`

/** PL/pgSQL: the results of a look. They are texts, because drivers parse other types differently, and users configure that. */
export const KNOWN_RESULTS = 'OUT event_state text, OUT lease_state text, OUT known_applied text'

/** PL/pgSQL: sets {@link KNOWN_RESULTS} from the rows. A lease that ends later than `latest_end` was written before the clock was set back. */
export const SET_KNOWN_RESULTS = `
  event_state := CASE WHEN event.kept_until IS NULL THEN 'new' WHEN event.forgotten THEN 'forgotten' ELSE 'processed' END;
  lease_state := CASE
    WHEN event.lease_ends_at > moment AND event.lease_ends_at <= latest_end THEN 'leased'
    WHEN note.lease_ends_at > moment AND note.lease_ends_at <= latest_end THEN 'leased'
    ELSE 'free' END;
  known_applied := note.applied::text;`

/** PL/pgSQL: the variables of a look. */
export const LOOK_VARIABLES = `
  moment timestamptz := clock_timestamp();
  latest_end timestamptz := moment + 2 * lease_ms * interval '1 millisecond';
  event record;
  note record;`

/** Reads, without a lock, what the tables contain of an event and of its note. */
export const LOOK_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_look_event(
  for_integration text, for_event text, for_note text, lease_ms float8,
  OUT event_version text, OUT note_version text, ${KNOWN_RESULTS}
) LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
DECLARE${LOOK_VARIABLES}
BEGIN${READ_ROWS}${SET_KNOWN_RESULTS}
  event_version := event.version;
  note_version := note.version;
END
$function$;
`

/** What a look or a claim returns of an event and its note. */
export interface KnownRow {
  readonly event_state: 'new' | 'forgotten' | 'processed'
  readonly lease_state: 'leased' | 'free'
  /** An `AppliedRevision` in JSON. */
  readonly known_applied: string | null
}

/** @returns what is known without the versions, which a claim does not return */
export function knownEvent({
  event_state,
  lease_state,
  known_applied,
}: KnownRow): Omit<KnownEvent, 'eventVersion' | 'noteVersion'> {
  return {
    isProcessed: event_state !== 'new',
    isForgotten: event_state === 'forgotten',
    isLeased: lease_state === 'leased',
    applied: known_applied === null ? undefined : (JSON.parse(known_applied) as AppliedRevision),
  }
}

import type { AppliedRevision } from '../../interfaces/revision-gate.ts'
import type { KnownEvent } from '../look-result.ts'

/**
 * SQL: the fencing token and the end of the lease of a row, in microseconds; null without a row. Every claim changes the token, and every other
 * operation of a worker changes the end of its lease.
 */
export const versionOf = (row: string) =>
  `(${row}fencing_token || '-' || coalesce((extract(epoch FROM ${row}lease_ends_at) * 1000000)::bigint::text, ''))`

/**
 * Reads, without a lock, what the tables contain of an event and of its note. It returns one text, because a row of columns and a value of
 * JSON each cost more than the rest of the statement. Two reads cost less than one with two joins. The order is that of `knownEvent`.
 */
export const LOOK_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_look(
  for_integration text, for_event text, for_note text, lease_ms float8
) RETURNS text LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
DECLARE
  moment timestamptz := clock_timestamp();
  -- A lease that ends later was written before the clock was set back.
  latest_end timestamptz := moment + 2 * lease_ms * interval '1 millisecond';
  event record;
  note record;
BEGIN
  SELECT fencing_token, lease_ends_at, kept_until, forgotten INTO event
    FROM notewire_events WHERE integration = for_integration AND event_id = for_event;
  SELECT fencing_token, lease_ends_at, applied INTO note
    FROM notewire_notes WHERE integration = for_integration AND note_id = for_note;
  RETURN concat(
    coalesce(${versionOf('event.')}, '_'), ' ', coalesce(${versionOf('note.')}, '_'), ' ',
    event.kept_until IS NOT NULL, ' ', event.forgotten IS TRUE, ' ',
    (event.lease_ends_at > moment AND event.lease_ends_at <= latest_end) IS TRUE
      OR (note.lease_ends_at > moment AND note.lease_ends_at <= latest_end) IS TRUE, ' ',
    note.applied);
END
$function$;
`

/**
 * Claims an event and its note, unless the event is processed or one of them has a lease.
 *
 * It reads both rows once, without a lock, and leases the note and then the event, each on the condition that the row has not changed since
 * the read. The result is therefore the same as under a lock, and the later of two concurrent claims has no lease.
 *
 * It waits only for milliseconds, for another statement on the same rows. A transaction of `postgresTransactions` locks them for longer: then
 * it fails with `55P03` after a quarter of a second, which the store returns as `busy`.
 *
 * It returns one text: the fencing token, or `_` without a lease, and what `notewire_look` has found before.
 */
export const CLAIM_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_claim(
  for_integration text, for_event text, for_note text, lease_ms float8
) RETURNS text LANGUAGE plpgsql SET lock_timeout = '250ms' AS $function$
#variable_conflict use_variable
DECLARE
  found_now text := notewire_look(for_integration, for_event, for_note, lease_ms);
  is_processed boolean := split_part(found_now, ' ', 3)::boolean AND NOT split_part(found_now, ' ', 4)::boolean;
  is_leased boolean := split_part(found_now, ' ', 5)::boolean;
  token text;
BEGIN
  IF NOT is_processed AND NOT is_leased THEN
    token := notewire_write(
      for_integration, for_event, nullif(split_part(found_now, ' ', 1), '_'),
      for_note, nullif(split_part(found_now, ' ', 2), '_'), lease_ms, NULL, NULL);
  END IF;
  RETURN concat(coalesce(token, '_'), ' ', found_now);
END
$function$;
`

const NO_ROW = '_'

/** Reads what `notewire_look` returns. */
export function knownEvent(found: string): KnownEvent {
  const [eventVersion, noteVersion, isProcessed, isForgotten, isLeased, ...applied] = found.split(' ')
  return {
    eventVersion: eventVersion === NO_ROW ? undefined : eventVersion,
    noteVersion: noteVersion === NO_ROW ? undefined : noteVersion,
    isProcessed: isProcessed === 't',
    isForgotten: isForgotten === 't',
    isLeased: isLeased === 't',
    applied: applied[0] ? (JSON.parse(applied.join(' ')) as AppliedRevision) : undefined,
  }
}

import { NOTE_STATE } from './note-state.ts'

/**
 * SQL: the fencing token and the end of the lease of a row, in microseconds. Every claim changes the token, and every other operation of a
 * worker changes the end of its lease. Without a row, it is `_`.
 */
export const versionOf = (row: string) =>
  `concat(${row}fencing_token, '_', (extract(epoch FROM ${row}lease_ends_at) * 1000000)::bigint)`

/**
 * Reads, without a lock, what the tables contain of an event and of its note. It returns one text, because a row of columns and a value of
 * JSON each cost more than the rest of the statement. The order is that of `knownEvent`.
 */
export const LOOK_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_look_1(
  for_integration text, for_event text, for_note text, lease_ms float8
) RETURNS text LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
DECLARE
  moment timestamptz := clock_timestamp();
  -- A lease that ends later was written before the clock was set back.
  latest_end timestamptz := moment + 2 * lease_ms * interval '1 millisecond';
  found_now text;
BEGIN
  SELECT concat(
      ${versionOf('events.')}, ' ', ${versionOf('notes.')}, ' ',
      events.kept_until IS NOT NULL, ' ', events.forgotten, ' ',
      (events.lease_ends_at > moment AND events.lease_ends_at <= latest_end) IS TRUE
        OR (notes.lease_ends_at > moment AND notes.lease_ends_at <= latest_end) IS TRUE, ' ',
      ${NOTE_STATE})
    INTO found_now
    FROM (SELECT 1) AS one_row
    LEFT JOIN notewire_events AS events ON events.integration = for_integration AND events.event_id = for_event
    LEFT JOIN notewire_notes AS notes ON notes.integration = for_integration AND notes.note_id = for_note;
  RETURN found_now;
END
$function$;
`

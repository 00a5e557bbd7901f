/**
 * Reads, without a lock, what the tables contain of an event and of its note. It returns one text, in JSON, because a row of columns
 * costs more.
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
  SELECT json_build_object(
      'eventToken', events.fencing_token::text,
      'isProcessed', events.kept_until IS NOT NULL,
      'isForgotten', events.forgotten,
      'noteToken', notes.fencing_token::text,
      'applied', CASE WHEN notes.seen IS NOT NULL THEN json_build_object(
        'revision', notes.revision,
        'deleted', notes.deleted,
        'deletedAtAnyRevision', notes.deleted_at_any_revision,
        'deletedAt', notes.deletion_occurred_at,
        'seen', notes.seen) END,
      'isLeased', (events.lease_ends_at > moment AND events.lease_ends_at <= latest_end) IS TRUE
        OR (notes.lease_ends_at > moment AND notes.lease_ends_at <= latest_end) IS TRUE)::text
    INTO found_now
    FROM (SELECT 1) AS one_row
    LEFT JOIN notewire_events AS events ON events.integration = for_integration AND events.event_id = for_event
    LEFT JOIN notewire_notes AS notes ON notes.integration = for_integration AND notes.note_id = for_note;
  RETURN found_now;
END
$function$;
`

/**
 * Sets the end of a current lease: `lease_ms` from now, or at once if `lease_ms` is null. It does not wait for locks: if the rows are
 * locked by the handler's own transaction, no other worker can take over the claim until that transaction ends.
 */
export const LEASE_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_lease_1(
  for_integration text, for_event text, for_note text, token bigint, lease_ms float8
) RETURNS text LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
DECLARE
  ends_at timestamptz := clock_timestamp() + lease_ms * interval '1 millisecond';
BEGIN
  PERFORM FROM notewire_notes
    WHERE integration = for_integration AND note_id = for_note AND fencing_token = token AND lease_ends_at IS NOT NULL
    FOR NO KEY UPDATE SKIP LOCKED;
  IF FOUND OR for_note IS NULL THEN
    UPDATE notewire_events SET lease_ends_at = ends_at WHERE ctid = (
      SELECT ctid FROM notewire_events
        WHERE integration = for_integration AND event_id = for_event AND fencing_token = token AND lease_ends_at IS NOT NULL
        FOR NO KEY UPDATE SKIP LOCKED);
    IF FOUND THEN
      UPDATE notewire_notes SET lease_ends_at = ends_at WHERE integration = for_integration AND note_id = for_note;
      RETURN 'current';
    END IF;
  END IF;

  PERFORM FROM notewire_events AS events
    WHERE events.integration = for_integration AND events.event_id = for_event
      AND events.fencing_token = token AND events.lease_ends_at IS NOT NULL
      AND (for_note IS NULL OR EXISTS (
        SELECT FROM notewire_notes AS notes
          WHERE notes.integration = for_integration AND notes.note_id = for_note
            AND notes.fencing_token = token AND notes.lease_ends_at IS NOT NULL));
  RETURN CASE WHEN FOUND THEN 'current' ELSE 'lost' END;
END
$function$;
`

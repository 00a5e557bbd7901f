/**
 * Ends a claim that is current: marks its event as processed and raises its note's revision. Note first, then event, as
 * claims do: no two of them can wait for each other.
 */
// It waits for a renewal under way. The limit is for a handler that commits the same claim in two transactions: neither
// would ever end.
export const COMMIT_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_commit_1(
  for_integration text, for_event text, for_note text, token bigint,
  kind text, new_revision bigint, sighting text, occurred_at bigint, keep_ms float8
) RETURNS text LANGUAGE plpgsql SET lock_timeout = '2s' AS $function$
#variable_conflict use_variable
DECLARE
  keep_until timestamptz := clock_timestamp() + keep_ms * interval '1 millisecond';
BEGIN
  IF for_note IS NOT NULL THEN
    PERFORM FROM notewire_notes
      WHERE integration = for_integration AND note_id = for_note AND fencing_token = token AND lease_ends_at IS NOT NULL
      FOR NO KEY UPDATE;
    IF NOT FOUND THEN
      RETURN 'lost';
    END IF;
  END IF;

  UPDATE notewire_events SET
    lease_ends_at = NULL, kept_until = greatest(kept_until, keep_until), forgotten = false
    WHERE integration = for_integration AND event_id = for_event AND fencing_token = token AND lease_ends_at IS NOT NULL;
  IF NOT FOUND THEN
    RETURN 'lost';
  END IF;

  IF new_revision IS NOT NULL THEN
    UPDATE notewire_notes SET
      lease_ends_at = NULL,
      kept_until = greatest(kept_until, keep_until),
      revision = greatest(revision, new_revision),
      deleted = CASE
        WHEN new_revision < revision THEN deleted
        WHEN kind = 'note.deleted' THEN true
        WHEN new_revision = revision AND deleted THEN
          NOT coalesce(deletion_revision = revision AND occurred_at > deletion_occurred_at, false)
        ELSE false
      END,
      deletion_revision = CASE
        WHEN new_revision < revision OR kind <> 'note.deleted' THEN deletion_revision
        ELSE new_revision
      END,
      -- The later of the two where the note counts as deleted already; null where one of them is not known.
      deletion_occurred_at = CASE
        WHEN new_revision < revision OR kind <> 'note.deleted' THEN deletion_occurred_at
        WHEN new_revision = revision AND deleted THEN CASE
          WHEN deletion_revision = revision AND occurred_at IS NOT NULL AND deletion_occurred_at IS NOT NULL
            THEN greatest(occurred_at, deletion_occurred_at)
        END
        ELSE occurred_at
      END,
      seen = CASE
        WHEN new_revision < revision THEN seen
        WHEN kind = 'note.deleted' OR new_revision IS DISTINCT FROM revision THEN ARRAY[sighting]
        WHEN sighting = ANY (seen) THEN seen
        ELSE seen || sighting
      END
      WHERE integration = for_integration AND note_id = for_note;
  ELSIF for_note IS NOT NULL THEN
    UPDATE notewire_notes SET lease_ends_at = NULL WHERE integration = for_integration AND note_id = for_note;
  END IF;
  RETURN 'committed';
END
$function$;
`

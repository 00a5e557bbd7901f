/** The SQLSTATE of `notewire_commit_2` if another worker claims the event between its two updates, for another note or without a note. */
export const CLAIM_LOST = 'NW001'

const CURRENT = 'fencing_token = token AND lease_ends_at IS NOT NULL'
const CURRENT_NOTE = `integration = for_integration AND note_id = for_note AND ${CURRENT}
      AND EXISTS (SELECT FROM notewire_events WHERE integration = for_integration AND event_id = for_event AND ${CURRENT})`

const ENDS_DELETION = `((NOT deleted_at_any_revision AND new_revision > revision) IS TRUE
          OR (occurred_at > deletion_occurred_at) IS TRUE)`

/**
 * Ends a current claim: raises the revision of its note and marks its event as processed. It updates the note before the event, as claims
 * do, so that no deadlock is possible.
 */
// It waits for a concurrent renewal. `lock_timeout` is for a handler that commits the same claim in two transactions, which would wait for
// each other forever.
export const COMMIT_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_commit_2(
  for_integration text, for_event text, for_note text, token bigint,
  kind text, new_revision bigint, sighting text, occurred_at bigint, keep_ms float8
) RETURNS text LANGUAGE plpgsql SET lock_timeout = '2s' AS $function$
#variable_conflict use_variable
DECLARE
  keep_until timestamptz := clock_timestamp() + keep_ms * interval '1 millisecond';
BEGIN
  IF kind IS NOT NULL THEN
    UPDATE notewire_notes SET
      lease_ends_at = NULL,
      kept_until = greatest(kept_until, keep_until),
      revision = greatest(revision, new_revision),
      deleted = CASE
        WHEN new_revision < revision THEN deleted
        ELSE kind = 'note.deleted' OR deleted AND NOT ${ENDS_DELETION}
      END,
      deleted_at_any_revision = CASE
        WHEN new_revision < revision THEN deleted_at_any_revision
        ELSE new_revision IS NULL OR deleted AND deleted_at_any_revision AND NOT ${ENDS_DELETION}
      END,
      -- The later of the two where the note counts as deleted already; null where one of them is not known.
      deletion_occurred_at = CASE
        WHEN new_revision < revision OR kind <> 'note.deleted' THEN deletion_occurred_at
        WHEN deleted AND NOT ${ENDS_DELETION} THEN CASE
          WHEN occurred_at IS NOT NULL AND deletion_occurred_at IS NOT NULL THEN greatest(occurred_at, deletion_occurred_at)
        END
        ELSE occurred_at
      END,
      seen = CASE
        WHEN new_revision < revision THEN seen
        WHEN kind = 'note.deleted' OR new_revision IS DISTINCT FROM revision THEN ARRAY[sighting]
        WHEN sighting = ANY (seen) THEN seen
        ELSE seen || sighting
      END
      WHERE ${CURRENT_NOTE};
  ELSIF for_note IS NOT NULL THEN
    UPDATE notewire_notes SET lease_ends_at = NULL WHERE ${CURRENT_NOTE};
  END IF;
  IF for_note IS NOT NULL AND NOT FOUND THEN
    RETURN 'lost';
  END IF;

  UPDATE notewire_events SET
    lease_ends_at = NULL, kept_until = greatest(kept_until, keep_until), forgotten = false
    WHERE integration = for_integration AND event_id = for_event AND ${CURRENT};
  IF FOUND THEN
    RETURN 'committed';
  ELSIF for_note IS NULL THEN
    RETURN 'lost';
  END IF;
  -- The note was changed in this transaction.
  RAISE EXCEPTION 'another worker has taken the event' USING ERRCODE = '${CLAIM_LOST}';
END
$function$;
`

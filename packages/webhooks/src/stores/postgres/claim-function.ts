import { NOTE_STATE } from './note-state.ts'

/**
 * Decides on a claim.
 *
 * It reads both rows once, without a lock, and returns `duplicate`, `stale` or `busy` without writing. Otherwise it leases the note and
 * then the event, each on the condition that the row has not changed since the read: every claim changes the fencing token, and every
 * other operation of a worker changes the end of its lease. The result is therefore the same as under a lock, and the later of two
 * concurrent claims is `busy`.
 *
 * It waits only for milliseconds, for another claim that inserts the same row or leases the same note without a lease. It skips locked
 * rows with a lease, because a handler's own transaction may hold the lock. A transaction of `postgresTransactions` locks rows without a lease
 * for longer: then it fails with `55P03` after a quarter of a second, which the store returns as `busy`.
 *
 * It returns one text, with the fencing token and the state of the note after `claimed` and the applied revision after `stale`: a row of
 * columns would reduce the throughput by a tenth.
 */
// The token is the time in microseconds, or the last token plus 1 if that is higher. It grows even if the row was pruned in between, or
// if a failover lost the last claims.
export const CLAIM_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_claim_2(
  for_integration text, for_event text, for_note text,
  gate text, kind text, new_revision bigint, sighting text, occurred_at bigint, lease_ms float8
) RETURNS text LANGUAGE plpgsql SET lock_timeout = '250ms' AS $function$
#variable_conflict use_variable
DECLARE
  moment timestamptz := clock_timestamp();
  ends_at timestamptz := moment + lease_ms * interval '1 millisecond';
  -- A lease that ends later was written before the clock was set back.
  latest_end timestamptz := moment + 2 * lease_ms * interval '1 millisecond';
  found_now record;
  token bigint;
BEGIN
  SELECT events.fencing_token AS event_token, events.lease_ends_at AS event_lease,
         events.kept_until IS NOT NULL AS marked, events.forgotten,
         notes.fencing_token AS note_token, notes.lease_ends_at AS note_lease,
         notes.revision, notes.deleted, notes.seen, ${NOTE_STATE} AS note_state,
         (NOT notes.deleted_at_any_revision AND new_revision > notes.revision) IS TRUE
           OR (occurred_at > notes.deletion_occurred_at) IS TRUE AS ends_deletion
    INTO found_now
    FROM (SELECT 1) AS one_row
    LEFT JOIN notewire_events AS events ON events.integration = for_integration AND events.event_id = for_event
    LEFT JOIN notewire_notes AS notes ON notes.integration = for_integration AND notes.note_id = for_note;

  IF found_now.marked AND NOT found_now.forgotten THEN
    RETURN 'duplicate';
  END IF;

  -- What was forgotten on purpose is to pass, whatever its revision.
  IF NOT found_now.marked AND gate <> 'off' AND (CASE
    WHEN new_revision IS NULL THEN false
    WHEN new_revision < found_now.revision OR new_revision = found_now.revision AND gate = 'strict' THEN true
    WHEN kind = 'note.deleted' THEN false
    WHEN found_now.deleted THEN NOT found_now.ends_deletion
    ELSE new_revision = found_now.revision AND NOT (gate = 'per-kind' AND sighting <> ALL (found_now.seen))
  END) THEN
    RETURN concat('stale ', found_now.revision);
  END IF;

  IF found_now.event_lease > moment AND found_now.event_lease <= latest_end
    OR found_now.note_lease > moment AND found_now.note_lease <= latest_end THEN
    RETURN 'busy';
  END IF;

  token := greatest(
    found_now.event_token + 1, found_now.note_token + 1, (extract(epoch FROM moment) * 1000000)::bigint);

  IF for_note IS NOT NULL THEN
    IF found_now.note_token IS NULL THEN
      INSERT INTO notewire_notes (integration, note_id, fencing_token, lease_ends_at)
        VALUES (for_integration, for_note, token, ends_at)
        ON CONFLICT DO NOTHING;
    ELSIF found_now.note_lease IS NULL THEN
      UPDATE notewire_notes SET fencing_token = token, lease_ends_at = ends_at
        WHERE integration = for_integration AND note_id = for_note AND fencing_token = found_now.note_token
          AND lease_ends_at IS NULL;
    ELSE
      UPDATE notewire_notes SET fencing_token = token, lease_ends_at = ends_at WHERE ctid = (
        SELECT ctid FROM notewire_notes
          WHERE integration = for_integration AND note_id = for_note AND fencing_token = found_now.note_token
            AND lease_ends_at IS NOT DISTINCT FROM found_now.note_lease
          FOR NO KEY UPDATE SKIP LOCKED);
    END IF;
    IF NOT FOUND THEN
      RETURN 'busy';
    END IF;
  END IF;

  IF found_now.event_token IS NULL THEN
    INSERT INTO notewire_events (integration, event_id, fencing_token, lease_ends_at)
      VALUES (for_integration, for_event, token, ends_at)
      ON CONFLICT DO NOTHING;
  ELSE
    UPDATE notewire_events SET fencing_token = token, lease_ends_at = ends_at WHERE ctid = (
      SELECT ctid FROM notewire_events
        WHERE integration = for_integration AND event_id = for_event AND fencing_token = found_now.event_token
          AND lease_ends_at IS NOT DISTINCT FROM found_now.event_lease
        FOR NO KEY UPDATE SKIP LOCKED);
  END IF;
  IF NOT FOUND THEN
    -- Somebody was faster who claimed the same event for another note, or for none: this note is free again.
    UPDATE notewire_notes SET lease_ends_at = NULL WHERE integration = for_integration AND note_id = for_note;
    RETURN 'busy';
  END IF;
  RETURN concat('claimed ', token, ' ', found_now.note_state);
END
$function$;
`

import { versionOf } from './look-function.ts'

/** How long a statement of a receiver's transaction waits for a lock. */
const LOCK_TIMEOUT = '2s'

/**
 * How long a transaction may wait for its next statement. Afterwards, PostgreSQL ends the connection: the locks of a worker whose host has
 * disappeared are free within 20 s.
 */
const IDLE_TIMEOUT = '10s'

/**
 * Marks an event as processed and sets the state of its note, in the transaction of a handler. Both rows are then locked until the
 * transaction ends. It writes nothing and returns `changed` unless both rows are as the look found them.
 *
 * The order is the note before the event, as in claims, so that no deadlock is possible. New fencing tokens make claims and looks before
 * this transaction invalid. The settings end with the transaction, so that PgBouncer may give the connection to another client.
 *
 * `new_seen` is null if the event changes no revision.
 */
export const HOLD_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_hold_1(
  for_integration text, for_event text, event_version text, for_note text, note_version text,
  keep_ms float8,
  new_revision bigint, is_deleted boolean, at_any_revision boolean, deleted_at bigint, new_seen text[]
) RETURNS text LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
DECLARE
  moment timestamptz := clock_timestamp();
  keep_until timestamptz := moment + keep_ms * interval '1 millisecond';
  token bigint := greatest(
    split_part(event_version, '_', 1)::bigint + 1, split_part(note_version, '_', 1)::bigint + 1,
    (extract(epoch FROM moment) * 1000000)::bigint);
BEGIN
  PERFORM set_config('lock_timeout', '${LOCK_TIMEOUT}', true),
    set_config('idle_in_transaction_session_timeout', '${IDLE_TIMEOUT}', true);

  IF for_note IS NULL THEN
    NULL;
  ELSIF note_version IS NULL THEN
    INSERT INTO notewire_notes (
        integration, note_id, fencing_token, kept_until, revision, deleted, deleted_at_any_revision, deletion_occurred_at, seen)
      VALUES (
        for_integration, for_note, token, CASE WHEN new_seen IS NOT NULL THEN keep_until END,
        new_revision, is_deleted, at_any_revision, deleted_at, new_seen)
      ON CONFLICT DO NOTHING;
  ELSIF new_seen IS NULL THEN
    UPDATE notewire_notes SET fencing_token = token, lease_ends_at = NULL
      WHERE integration = for_integration AND note_id = for_note AND ${versionOf('')} = note_version;
  ELSE
    UPDATE notewire_notes SET
      fencing_token = token,
      lease_ends_at = NULL,
      kept_until = greatest(kept_until, keep_until),
      revision = new_revision,
      deleted = is_deleted,
      deleted_at_any_revision = at_any_revision,
      deletion_occurred_at = deleted_at,
      seen = new_seen
      WHERE integration = for_integration AND note_id = for_note AND ${versionOf('')} = note_version;
  END IF;
  IF for_note IS NOT NULL AND NOT FOUND THEN
    RETURN 'changed';
  END IF;

  IF event_version IS NULL THEN
    INSERT INTO notewire_events (integration, event_id, fencing_token, kept_until)
      VALUES (for_integration, for_event, token, keep_until)
      ON CONFLICT DO NOTHING;
  ELSE
    UPDATE notewire_events SET
      fencing_token = token, lease_ends_at = NULL, kept_until = greatest(kept_until, keep_until), forgotten = false
      WHERE integration = for_integration AND event_id = for_event AND ${versionOf('')} = event_version;
  END IF;
  IF NOT FOUND THEN
    RETURN 'changed';
  END IF;
  RETURN token || '_';
END
$function$;
`

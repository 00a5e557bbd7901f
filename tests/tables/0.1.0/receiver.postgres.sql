DO $migration$
BEGIN
  IF NOT EXISTS (
    SELECT name FROM unnest(ARRAY['notewire_claim_2', 'notewire_commit_2', 'notewire_lease_1', 'notewire_look_1', 'notewire_hold_1']) AS name
      WHERE NOT EXISTS (SELECT FROM pg_proc WHERE oid = to_regproc(name) AND proconfig::text LIKE '%search_path=%')) THEN
    RETURN;
  END IF;
  PERFORM set_config('lock_timeout', '10s', true);
  PERFORM pg_advisory_xact_lock(7824530911);
  IF NOT EXISTS (
    SELECT name FROM unnest(ARRAY['notewire_claim_2', 'notewire_commit_2', 'notewire_lease_1', 'notewire_look_1', 'notewire_hold_1']) AS name
      WHERE NOT EXISTS (SELECT FROM pg_proc WHERE oid = to_regproc(name) AND proconfig::text LIKE '%search_path=%')) THEN
    RETURN;
  END IF;

CREATE TABLE IF NOT EXISTS notewire_events (
  integration   text COLLATE "C" NOT NULL,
  event_id      text COLLATE "C" NOT NULL,
  fencing_token bigint NOT NULL,
  lease_ends_at timestamptz,
  kept_until    timestamptz,
  forgotten     boolean NOT NULL DEFAULT false,
  PRIMARY KEY (integration, event_id)
) WITH (fillfactor = 90);

CREATE TABLE IF NOT EXISTS notewire_notes (
  integration             text COLLATE "C" NOT NULL,
  note_id                 text COLLATE "C" NOT NULL,
  fencing_token           bigint NOT NULL,
  lease_ends_at           timestamptz,
  kept_until              timestamptz,
  revision                bigint,
  deleted                 boolean NOT NULL DEFAULT false,
  deleted_at_any_revision boolean NOT NULL DEFAULT false,
  deletion_occurred_at    bigint,
  seen                    text[],
  PRIMARY KEY (integration, note_id)
) WITH (fillfactor = 80);

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
         notes.revision, notes.deleted, notes.seen, concat(
        notes.revision, ' ', notes.deleted, ' ', notes.deleted_at_any_revision, ' ', notes.deletion_occurred_at, ' ',
        to_json(notes.seen)) AS note_state,
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
        ELSE kind = 'note.deleted' OR deleted AND NOT ((NOT deleted_at_any_revision AND new_revision > revision) IS TRUE
          OR (occurred_at > deletion_occurred_at) IS TRUE)
      END,
      deleted_at_any_revision = CASE
        WHEN new_revision < revision THEN deleted_at_any_revision
        ELSE new_revision IS NULL OR deleted AND deleted_at_any_revision AND NOT ((NOT deleted_at_any_revision AND new_revision > revision) IS TRUE
          OR (occurred_at > deletion_occurred_at) IS TRUE)
      END,
      -- The later of the two where the note counts as deleted already; null where one of them is not known.
      deletion_occurred_at = CASE
        WHEN new_revision < revision OR kind <> 'note.deleted' THEN deletion_occurred_at
        WHEN deleted AND NOT ((NOT deleted_at_any_revision AND new_revision > revision) IS TRUE
          OR (occurred_at > deletion_occurred_at) IS TRUE) THEN CASE
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
      WHERE integration = for_integration AND note_id = for_note AND fencing_token = token AND lease_ends_at IS NOT NULL
      AND EXISTS (SELECT FROM notewire_events WHERE integration = for_integration AND event_id = for_event AND fencing_token = token AND lease_ends_at IS NOT NULL);
  ELSIF for_note IS NOT NULL THEN
    UPDATE notewire_notes SET lease_ends_at = NULL WHERE integration = for_integration AND note_id = for_note AND fencing_token = token AND lease_ends_at IS NOT NULL
      AND EXISTS (SELECT FROM notewire_events WHERE integration = for_integration AND event_id = for_event AND fencing_token = token AND lease_ends_at IS NOT NULL);
  END IF;
  IF for_note IS NOT NULL AND NOT FOUND THEN
    RETURN 'lost';
  END IF;

  UPDATE notewire_events SET
    lease_ends_at = NULL, kept_until = greatest(kept_until, keep_until), forgotten = false
    WHERE integration = for_integration AND event_id = for_event AND fencing_token = token AND lease_ends_at IS NOT NULL;
  IF FOUND THEN
    RETURN 'committed';
  ELSIF for_note IS NULL THEN
    RETURN 'lost';
  END IF;
  -- The note was changed in this transaction.
  RAISE EXCEPTION 'another worker has taken the event' USING ERRCODE = 'NW001';
END
$function$;

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
      concat(events.fencing_token, '_', (extract(epoch FROM events.lease_ends_at) * 1000000)::bigint), ' ', concat(notes.fencing_token, '_', (extract(epoch FROM notes.lease_ends_at) * 1000000)::bigint), ' ',
      events.kept_until IS NOT NULL, ' ', events.forgotten, ' ',
      (events.lease_ends_at > moment AND events.lease_ends_at <= latest_end) IS TRUE
        OR (notes.lease_ends_at > moment AND notes.lease_ends_at <= latest_end) IS TRUE, ' ',
      concat(
        notes.revision, ' ', notes.deleted, ' ', notes.deleted_at_any_revision, ' ', notes.deletion_occurred_at, ' ',
        to_json(notes.seen)))
    INTO found_now
    FROM (SELECT 1) AS one_row
    LEFT JOIN notewire_events AS events ON events.integration = for_integration AND events.event_id = for_event
    LEFT JOIN notewire_notes AS notes ON notes.integration = for_integration AND notes.note_id = for_note;
  RETURN found_now;
END
$function$;

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
  PERFORM set_config('lock_timeout', '2s', true),
    set_config('idle_in_transaction_session_timeout', '10s', true);

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
      WHERE integration = for_integration AND note_id = for_note AND concat(fencing_token, '_', (extract(epoch FROM lease_ends_at) * 1000000)::bigint) = note_version;
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
      WHERE integration = for_integration AND note_id = for_note AND concat(fencing_token, '_', (extract(epoch FROM lease_ends_at) * 1000000)::bigint) = note_version;
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
      WHERE integration = for_integration AND event_id = for_event AND concat(fencing_token, '_', (extract(epoch FROM lease_ends_at) * 1000000)::bigint) = event_version;
  END IF;
  IF NOT FOUND THEN
    RETURN 'changed';
  END IF;
  RETURN token || '_';
END
$function$;

-- A function finds the tables in the schema in which it was created, whatever the search_path of its caller.
ALTER FUNCTION notewire_claim_2 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_commit_2 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_lease_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_look_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_hold_1 SET search_path FROM CURRENT;
END
$migration$;
INSERT INTO notewire_events SELECT * FROM jsonb_populate_record(NULL::notewire_events, '{"event_id": "evt_deleted", "forgotten": false, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null}');
INSERT INTO notewire_events SELECT * FROM jsonb_populate_record(NULL::notewire_events, '{"event_id": "evt_deleted_sometime", "forgotten": false, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null}');
INSERT INTO notewire_events SELECT * FROM jsonb_populate_record(NULL::notewire_events, '{"event_id": "evt_elsewhere", "forgotten": false, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "team {50%}", "fencing_token": 1795348800000000, "lease_ends_at": null}');
INSERT INTO notewire_events SELECT * FROM jsonb_populate_record(NULL::notewire_events, '{"event_id": "evt_ended", "forgotten": false, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null}');
INSERT INTO notewire_events SELECT * FROM jsonb_populate_record(NULL::notewire_events, '{"event_id": "evt_held", "forgotten": false, "kept_until": null, "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": "2126-10-29T12:00:00+00:00"}');
INSERT INTO notewire_events SELECT * FROM jsonb_populate_record(NULL::notewire_events, '{"event_id": "evt_released", "forgotten": false, "kept_until": null, "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null}');
INSERT INTO notewire_events SELECT * FROM jsonb_populate_record(NULL::notewire_events, '{"event_id": "evt_replayed", "forgotten": true, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null}');
INSERT INTO notewire_events SELECT * FROM jsonb_populate_record(NULL::notewire_events, '{"event_id": "evt_test", "forgotten": false, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null}');
INSERT INTO notewire_events SELECT * FROM jsonb_populate_record(NULL::notewire_events, '{"event_id": "evt_updated", "forgotten": false, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null}');
INSERT INTO notewire_notes SELECT * FROM jsonb_populate_record(NULL::notewire_notes, '{"seen": ["note.deleted"], "deleted": true, "note_id": "note_deleted", "revision": 5, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null, "deletion_occurred_at": 1795348740000, "deleted_at_any_revision": false}');
INSERT INTO notewire_notes SELECT * FROM jsonb_populate_record(NULL::notewire_notes, '{"seen": ["note.deleted"], "deleted": true, "note_id": "note_deleted_sometime", "revision": 5, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null, "deletion_occurred_at": null, "deleted_at_any_revision": false}');
INSERT INTO notewire_notes SELECT * FROM jsonb_populate_record(NULL::notewire_notes, '{"seen": ["note.ended session_1"], "deleted": false, "note_id": "note_ended", "revision": 7, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null, "deletion_occurred_at": null, "deleted_at_any_revision": false}');
INSERT INTO notewire_notes SELECT * FROM jsonb_populate_record(NULL::notewire_notes, '{"seen": ["note.updated"], "deleted": false, "note_id": "note_replayed", "revision": 4, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null, "deletion_occurred_at": null, "deleted_at_any_revision": false}');
INSERT INTO notewire_notes SELECT * FROM jsonb_populate_record(NULL::notewire_notes, '{"seen": ["note.updated"], "deleted": false, "note_id": "note_updated", "revision": 3, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null, "deletion_occurred_at": null, "deleted_at_any_revision": false}');
INSERT INTO notewire_notes SELECT * FROM jsonb_populate_record(NULL::notewire_notes, '{"seen": ["note.updated"], "deleted": false, "note_id": "note_updated", "revision": 9, "kept_until": "2026-11-25T12:00:00+00:00", "integration": "team {50%}", "fencing_token": 1795348800000000, "lease_ends_at": null, "deletion_occurred_at": null, "deleted_at_any_revision": false}');
INSERT INTO notewire_notes SELECT * FROM jsonb_populate_record(NULL::notewire_notes, '{"seen": null, "deleted": false, "note_id": "note_held", "revision": null, "kept_until": null, "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": "2126-10-29T12:00:00+00:00", "deletion_occurred_at": null, "deleted_at_any_revision": false}');
INSERT INTO notewire_notes SELECT * FROM jsonb_populate_record(NULL::notewire_notes, '{"seen": null, "deleted": false, "note_id": "note_released", "revision": null, "kept_until": null, "integration": "default", "fencing_token": 1795348800000000, "lease_ends_at": null, "deletion_occurred_at": null, "deleted_at_any_revision": false}');

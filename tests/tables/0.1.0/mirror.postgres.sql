DO $migration$
BEGIN
  IF NOT EXISTS (
    SELECT name FROM unnest(ARRAY['notewire_mirror_load_1', 'notewire_mirror_commit_2', 'notewire_mirror_take_1', 'notewire_mirror_sequence_1', 'notewire_mirror_plain_1', 'notewire_mirror_words_1', 'notewire_mirror_query_1', 'notewire_integrations_now_1', 'notewire_integrations_ahead_1', 'notewire_integrations_take_2', 'notewire_integrations_finish_1', 'notewire_integrations_claim_1', 'notewire_integrations_erase_1']) AS name
      WHERE NOT EXISTS (SELECT FROM pg_proc WHERE oid = to_regproc(name) AND proconfig::text LIKE '%search_path=%')) THEN
    RETURN;
  END IF;
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'the mirror needs a database with the encoding UTF8, and this database has the encoding %', current_setting('server_encoding')
      USING HINT = 'Use a database that was created with ENCODING ''UTF8''.';
  END IF;
  PERFORM set_config('lock_timeout', '10s', true);
  PERFORM pg_advisory_xact_lock(7824530912);
  IF NOT EXISTS (
    SELECT name FROM unnest(ARRAY['notewire_mirror_load_1', 'notewire_mirror_commit_2', 'notewire_mirror_take_1', 'notewire_mirror_sequence_1', 'notewire_mirror_plain_1', 'notewire_mirror_words_1', 'notewire_mirror_query_1', 'notewire_integrations_now_1', 'notewire_integrations_ahead_1', 'notewire_integrations_take_2', 'notewire_integrations_finish_1', 'notewire_integrations_claim_1', 'notewire_integrations_erase_1']) AS name
      WHERE NOT EXISTS (SELECT FROM pg_proc WHERE oid = to_regproc(name) AND proconfig::text LIKE '%search_path=%')) THEN
    RETURN;
  END IF;

CREATE TABLE IF NOT EXISTS notewire_mirrors (
  integration      text COLLATE "C" NOT NULL PRIMARY KEY,
  sequence_limit   bigint NOT NULL DEFAULT 0, -- no greater number was ever returned
  position         bigint NOT NULL DEFAULT 0, -- feed position of the latest change
  progress         jsonb,                     -- progress of the listings
  progress_version bigint NOT NULL DEFAULT 0, -- how often the progress was written
  heard_at         timestamptz                -- when the last event arrived
) WITH (fillfactor = 50);

CREATE UNLOGGED TABLE IF NOT EXISTS notewire_mirror_sequences (
  integration    text COLLATE "C" NOT NULL PRIMARY KEY,
  sequence       bigint NOT NULL, -- the latest number that was returned
  sequence_limit bigint NOT NULL  -- of notewire_mirrors, when this row last reached the limit
) WITH (fillfactor = 50);

CREATE TABLE IF NOT EXISTS notewire_mirror_notes (
  integration       text COLLATE "C" NOT NULL,
  note_id           text COLLATE "C" NOT NULL,
  version           bigint NOT NULL, -- how often this row was written
  presence          text NOT NULL,   -- 'live': shown; 'hidden': not shown, its removal is not confirmed; 'gone': erased
  evidence_says     text,            -- result of the latest read that proved it: 'present' or 'absent'
  evidence_start    bigint,          -- sequence number when the request of that read was sent
  evidence_end      bigint,          -- sequence number when its response was received
  evidence_source   text,            -- 'backfill', 'poll', 'scan' or 'read'
  evidence_at       timestamptz,
  revision          bigint,          -- revision of the stored record
  record_seen_at    timestamptz,     -- when that record was first read
  status            text,
  transcript_status text,
  summary_status    text,
  created_at        text,            -- as the service wrote it
  updated_at        text,            -- as the service wrote it
  settled_revision  bigint,          -- revision that transcript and summary belong to; null if they must be read
  transcript_held   text,            -- 'ready' when there is one
  summary_held      text,            -- 'ready' when there is one
  dirty             bigint,          -- sequence number of the hint: the note must be read after it
  hinted_revision   numeric,         -- the highest revision that an event named
  hidden_by         bigint,          -- sequence number of the event that announced the deletion
  hidden_at         timestamptz,     -- when that event arrived
  floor_revision    numeric,         -- revision of the deletion event; a stale record with a lower revision does not show the note again
  floor_at          timestamptz,     -- when the deletion event arrived; null without one
  floor_deleted_at  timestamptz,     -- occurred_at of the deletion event or its arrival, whichever is later
  floor_unrevised_at timestamptz,    -- when the latest deletion event without a revision arrived; null without one
  contradicted_since timestamptz,    -- when reads began to return a lower revision than before
  held_by_scan      text,            -- the scan that holds the removal back until it is accepted
  attempts          bigint NOT NULL, -- answered in a row without settling the note
  failures          bigint NOT NULL, -- failed requests in a row
  due_at            timestamptz,     -- when the note or its content must be read
  heard_kind        text,            -- kind of the last event
  heard_revision    numeric,
  heard_sequence    bigint,          -- sequence number when it arrived
  heard_at          timestamptz,
  position          bigint NOT NULL, -- feed position of the latest change; 0 before the first
  visible_since     bigint NOT NULL, -- position at which the note appeared last
  first_visible     bigint,          -- position at which the note appeared first
  vanished_since    bigint NOT NULL, -- position at which the note vanished last
  title_at          bigint NOT NULL, -- position at which the title changed last
  content_at        bigint NOT NULL,
  transcript_at     bigint NOT NULL,
  summary_at        bigint NOT NULL,
  statuses_at       bigint NOT NULL, -- position at which one of the statuses changed last
  PRIMARY KEY (integration, note_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX IF NOT EXISTS notewire_mirror_notes_by_position ON notewire_mirror_notes (integration, position)
  WHERE position > 0;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_hidden ON notewire_mirror_notes (integration, hidden_at)
  WHERE hidden_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_due_and_dirty ON notewire_mirror_notes (integration, due_at)
  WHERE due_at IS NOT NULL AND dirty IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_due ON notewire_mirror_notes (integration, due_at)
  WHERE due_at IS NOT NULL AND dirty IS NULL;

CREATE TABLE IF NOT EXISTS notewire_mirror_content (
  integration text COLLATE "C" NOT NULL,
  note_id     text COLLATE "C" NOT NULL,
  note        jsonb,   -- the record, as the service showed it
  transcript  jsonb,
  summary     jsonb,
  search      tsvector -- words of title (weight A), summary (B), content (C) and transcript (D)
    NOT NULL,
  PRIMARY KEY (integration, note_id)
) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0, vacuum_index_cleanup = on, toast.autovacuum_vacuum_threshold = 0, toast.autovacuum_vacuum_scale_factor = 0, toast.vacuum_index_cleanup = on);

CREATE INDEX IF NOT EXISTS notewire_mirror_content_search ON notewire_mirror_content USING gin (search);

CREATE TABLE IF NOT EXISTS notewire_mirror_consumers (
  integration text COLLATE "C" NOT NULL,
  name        text COLLATE "C" NOT NULL,
  version     bigint NOT NULL, -- how often this row was written
  token       bigint NOT NULL, -- fencing token: increments each time the lease is taken
  state       jsonb NOT NULL,  -- cursor, lease and backoff
  PRIMARY KEY (integration, name)
) WITH (fillfactor = 50);

CREATE TABLE IF NOT EXISTS notewire_mirror_consumer_notes (
  integration text COLLATE "C" NOT NULL,
  consumer    text COLLATE "C" NOT NULL,
  note_id     text COLLATE "C" NOT NULL,
  since       bigint NOT NULL, -- position of the last applied change of the note
  attempts    bigint NOT NULL,
  due_at      timestamptz,     -- when it is retried
  parked_at   timestamptz,     -- when the note was parked, after its last attempt failed; null if not parked
  error_name  text,
  error_code  text,
  PRIMARY KEY (integration, consumer, note_id)
);

CREATE INDEX IF NOT EXISTS notewire_mirror_consumer_notes_due ON notewire_mirror_consumer_notes (integration, consumer, due_at)
  WHERE due_at IS NOT NULL;

-- Statistics would contain samples of the content, even after it is erased.
ALTER TABLE notewire_mirror_content
  ALTER COLUMN note SET STATISTICS 0,
  ALTER COLUMN transcript SET STATISTICS 0,
  ALTER COLUMN summary SET STATISTICS 0,
  ALTER COLUMN search SET STATISTICS 0;

CREATE OR REPLACE VIEW notewire_live_notes AS
  SELECT notes.integration, notes.note_id, notes.revision, notes.status,
    content.note->>'title' AS title,
    content.note->>'content' AS content,
    content.summary->>'markdown' AS summary,
    content.transcript->>'text' AS transcript,
    content.transcript->'segments' AS segments,
    content.note AS record,
    notes.transcript_status, notes.summary_status, notes.created_at, notes.updated_at,
    notes.settled_revision IS NOT DISTINCT FROM notes.revision AND notes.dirty IS NULL AS is_settled,
    content.search
  FROM notewire_mirror_notes AS notes
  LEFT JOIN notewire_mirror_content AS content ON content.integration = notes.integration AND content.note_id = notes.note_id
  WHERE notes.presence = 'live';

CREATE OR REPLACE FUNCTION notewire_mirror_plain_1(said text)
RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $function$
BEGIN
  -- What the store's JSON writes for NUL and halves of pairs is no word.
  IF strpos(said, chr(26)) > 0 THEN
    said := regexp_replace(said, chr(26) || '[0-9a-f]{4}', ' ', 'g');
  END IF;
  said := regexp_replace(translate(said, '<~/@_', '     '), E'(\\S{255})', E'\\1 ', 'g');
  IF lower('Ä') = 'ä' THEN
    RETURN lower(said);
  END IF;
  BEGIN
    RETURN lower(said COLLATE "und-x-icu");
  EXCEPTION WHEN undefined_object OR feature_not_supported THEN
    RETURN lower(said);
  END;
END
$function$;

CREATE OR REPLACE FUNCTION notewire_mirror_words_1(title text, summary text, content text, transcript text)
RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $function$
DECLARE
  longest integer := 300000000;
BEGIN
  title := coalesce(notewire_mirror_plain_1(title), '');
  summary := coalesce(notewire_mirror_plain_1(summary), '');
  content := coalesce(notewire_mirror_plain_1(content), '');
  transcript := coalesce(notewire_mirror_plain_1(transcript), '');
  LOOP
    BEGIN
      RETURN setweight(to_tsvector('simple', left(title, longest)), 'A')
        || setweight(to_tsvector('simple', left(summary, longest)), 'B')
        || setweight(to_tsvector('simple', left(content, longest)), 'C')
        || setweight(to_tsvector('simple', left(transcript, longest)), 'D');
    EXCEPTION WHEN program_limit_exceeded THEN
      longest := least(longest, length(title || summary || content || transcript)) / 2;
    END;
  END LOOP;
END
$function$;

CREATE OR REPLACE FUNCTION notewire_mirror_query_1(words text)
RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$
  SELECT plainto_tsquery('simple', notewire_mirror_plain_1(words))
$function$;

CREATE OR REPLACE FUNCTION notewire_mirror_sequence_1(for_integration text)
RETURNS bigint LANGUAGE sql STABLE AS $function$
  SELECT coalesce(
    (SELECT sequence FROM notewire_mirror_sequences WHERE integration = for_integration),
    (SELECT sequence_limit FROM notewire_mirrors WHERE integration = for_integration),
    0)
$function$;

CREATE OR REPLACE FUNCTION notewire_mirror_load_1(for_integration text, note_ids text)
RETURNS text LANGUAGE plpgsql SET lock_timeout = '10s' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $function$
#variable_conflict use_variable
DECLARE
  number bigint;
  durable_limit bigint;
  wanted text[] := ARRAY(SELECT jsonb_array_elements_text(note_ids::jsonb));
BEGIN
  LOOP
    SELECT sequences.sequence, sequences.sequence_limit INTO number, durable_limit
      FROM notewire_mirror_sequences AS sequences WHERE sequences.integration = for_integration FOR NO KEY UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO notewire_mirror_sequences (integration, sequence, sequence_limit) VALUES (for_integration, 0, 0) ON CONFLICT DO NOTHING;
  END LOOP;
  IF number >= durable_limit THEN
    IF current_setting('synchronous_commit') = 'off' THEN
      PERFORM set_config('synchronous_commit', 'local', true);
    END IF;
    INSERT INTO notewire_mirrors AS mirrors (integration, sequence_limit) VALUES (for_integration, 1000)
      ON CONFLICT (integration) DO UPDATE SET sequence_limit = mirrors.sequence_limit + 1000
      RETURNING mirrors.sequence_limit INTO durable_limit;
    number := durable_limit - 1000;
  END IF;
  number := number + 1;
  UPDATE notewire_mirror_sequences AS sequences SET sequence = number, sequence_limit = durable_limit
    WHERE sequences.integration = for_integration;

  RETURN (
    SELECT json_build_object(
      'sequence', number,
      'progress', mirrors.progress,
      'progress_version', mirrors.progress_version,
      'heard_at', extract(epoch FROM mirrors.heard_at) * 1000,
      'notes', (
        SELECT coalesce(json_agg(json_build_object('version', notes.version, 'state', json_build_object('note_id', notes.note_id, 'presence', notes.presence, 'evidence_says', notes.evidence_says, 'evidence_start', notes.evidence_start, 'evidence_end', notes.evidence_end, 'evidence_source', notes.evidence_source, 'evidence_at', extract(epoch FROM notes.evidence_at) * 1000, 'revision', notes.revision, 'record_seen_at', extract(epoch FROM notes.record_seen_at) * 1000, 'status', notes.status, 'transcript_status', notes.transcript_status, 'summary_status', notes.summary_status, 'created_at', notes.created_at, 'updated_at', notes.updated_at, 'settled_revision', notes.settled_revision, 'transcript_held', notes.transcript_held, 'summary_held', notes.summary_held, 'dirty', notes.dirty, 'hinted_revision', notes.hinted_revision, 'hidden_by', notes.hidden_by, 'hidden_at', extract(epoch FROM notes.hidden_at) * 1000, 'floor_revision', notes.floor_revision, 'floor_at', extract(epoch FROM notes.floor_at) * 1000, 'floor_deleted_at', extract(epoch FROM notes.floor_deleted_at) * 1000, 'floor_unrevised_at', extract(epoch FROM notes.floor_unrevised_at) * 1000, 'contradicted_since', extract(epoch FROM notes.contradicted_since) * 1000, 'held_by_scan', notes.held_by_scan, 'attempts', notes.attempts, 'failures', notes.failures, 'due_at', extract(epoch FROM notes.due_at) * 1000, 'heard_kind', notes.heard_kind, 'heard_revision', notes.heard_revision, 'heard_sequence', notes.heard_sequence, 'heard_at', extract(epoch FROM notes.heard_at) * 1000))), '[]')
          FROM notewire_mirror_notes AS notes
          WHERE notes.integration = for_integration AND notes.note_id = ANY (wanted)))
      FROM notewire_mirrors AS mirrors WHERE mirrors.integration = for_integration);
END
$function$;

CREATE OR REPLACE FUNCTION notewire_mirror_commit_2(
  for_integration text, expected_versions text, note_stamps text, note_writes text, announcements bigint, content_writes text,
  expected_progress bigint, next_progress text, heard_ms float8,
  fence_generation text, fence_token bigint, hint_due_ms float8, now_ms float8
) RETURNS text LANGUAGE plpgsql
SET lock_timeout = '10s' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $function$
#variable_conflict use_variable
DECLARE
  writes jsonb := note_writes::jsonb;
  versions jsonb := expected_versions::jsonb;
  stamp record;
  contents jsonb := content_writes::jsonb;
  note_ids text[] := ARRAY(SELECT note_id COLLATE "C" FROM jsonb_each(versions) AS expected (note_id, version) ORDER BY 1);
  new_ids text[] := ARRAY(SELECT note_id FROM jsonb_each(versions) AS expected (note_id, version) WHERE version = '0');
  position_before bigint;
  ahead float8 := notewire_integrations_ahead_1(now_ms);
  -- By the clock of the server.
  hint_due_at timestamptz := to_timestamp((hint_due_ms + ahead) / 1000);
  -- By note: 'erased', or which texts changed.
  changed jsonb := (
    SELECT coalesce(jsonb_object_agg(written->>'note_id', 'erased'), '{}')
      FROM jsonb_array_elements(contents) AS written WHERE written ? 'erase');
BEGIN
  IF (announcements > 0 OR heard_ms IS NOT NULL) AND current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'local', true);
  END IF;

  IF NOT EXISTS (SELECT FROM notewire_mirrors AS mirrors WHERE mirrors.integration = for_integration) THEN
    INSERT INTO notewire_mirrors (integration) VALUES (for_integration) ON CONFLICT DO NOTHING;
  END IF;

  PERFORM FROM unnest(note_ids) AS wanted (note_id) CROSS JOIN LATERAL (
    SELECT FROM notewire_mirror_notes AS notes
      WHERE notes.integration = for_integration AND notes.note_id = wanted.note_id
      FOR NO KEY UPDATE
  ) AS locked;
  IF EXISTS (
    SELECT FROM jsonb_each_text(versions) AS expected (note_id, version)
      LEFT JOIN notewire_mirror_notes AS notes ON notes.integration = for_integration AND notes.note_id = expected.note_id
      WHERE coalesce(notes.version, 0) <> expected.version::bigint
  ) THEN
    RETURN 'conflict';
  END IF;

  IF contents <> '[]' THEN
    DELETE FROM notewire_mirror_content AS content
      WHERE content.integration = for_integration AND content.note_id IN (
        SELECT written->>'note_id' FROM jsonb_array_elements(contents) AS written WHERE written ? 'erase');
    WITH parts AS (
      SELECT written->>'note_id' AS note_id,
        CASE WHEN written ? 'note' THEN nullif(written->'note', 'null') ELSE known.note END AS note,
        CASE WHEN written ? 'transcript' THEN nullif(written->'transcript', 'null') ELSE known.transcript END AS transcript,
        CASE WHEN written ? 'summary' THEN nullif(written->'summary', 'null') ELSE known.summary END AS summary,
        known.note AS known_note, known.transcript AS known_transcript, known.summary AS known_summary
        FROM jsonb_array_elements(contents) AS written
        LEFT JOIN notewire_mirror_content AS known
          ON known.integration = for_integration AND known.note_id = written->>'note_id'
        WHERE NOT written ? 'erase'
        ORDER BY 1
    ), replaced AS (
      INSERT INTO notewire_mirror_content AS content (integration, note_id, note, transcript, summary, search)
        SELECT for_integration, note_id, note, transcript, summary,
          notewire_mirror_words_1(note->>'title', summary->>'markdown', note->>'content', transcript->>'text')
          FROM parts
        ON CONFLICT (integration, note_id) DO UPDATE SET
          note = excluded.note, transcript = excluded.transcript, summary = excluded.summary, search = excluded.search
    )
    SELECT changed || coalesce(jsonb_object_agg(note_id, jsonb_build_object(
        'title', note->>'title' IS DISTINCT FROM known_note->>'title',
        'content', note->>'content' IS DISTINCT FROM known_note->>'content',
        'transcript', transcript->>'text' IS DISTINCT FROM known_transcript->>'text'
          OR nullif(transcript->'segments', 'null') IS DISTINCT FROM nullif(known_transcript->'segments', 'null'),
        'summary', summary->>'markdown' IS DISTINCT FROM known_summary->>'markdown')), '{}')
      INTO changed FROM parts;
  END IF;

  IF announcements > 0 OR next_progress IS NOT NULL OR heard_ms IS NOT NULL OR cardinality(new_ids) > 0 THEN
    UPDATE notewire_mirrors AS mirrors SET
      position = mirrors.position + announcements,
      progress = coalesce(next_progress::jsonb, mirrors.progress),
      progress_version = mirrors.progress_version + CASE WHEN next_progress IS NULL THEN 0 ELSE 1 END,
      heard_at = greatest(mirrors.heard_at, to_timestamp((heard_ms + ahead) / 1000))
      WHERE mirrors.integration = for_integration AND (next_progress IS NULL OR mirrors.progress_version = expected_progress)
      RETURNING mirrors.position - announcements INTO position_before;
    IF NOT FOUND OR EXISTS (
      SELECT FROM notewire_mirror_notes AS notes WHERE notes.integration = for_integration AND notes.note_id = ANY (new_ids)
    ) THEN
      RAISE EXCEPTION SQLSTATE 'NW001';
    END IF;
  END IF;

  FOR stamp IN SELECT * FROM jsonb_to_recordset(note_stamps::jsonb) AS stamps (note_ids text[], evidence_says text, evidence_start bigint, evidence_end bigint, evidence_source text, evidence_at float8) LOOP
    UPDATE notewire_mirror_notes AS notes
      SET version = notes.version + 1, (evidence_says, evidence_start, evidence_end, evidence_source, evidence_at) = ROW (stamp.evidence_says, stamp.evidence_start, stamp.evidence_end, stamp.evidence_source, to_timestamp(stamp.evidence_at / 1000))
      WHERE notes.integration = for_integration AND notes.note_id = ANY (stamp.note_ids);
  END LOOP;

  INSERT INTO notewire_mirror_notes AS notes (integration, note_id, version, position, visible_since, first_visible, vanished_since, title_at, content_at, transcript_at, summary_at, statuses_at, due_at, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, heard_kind, heard_revision, heard_sequence, heard_at)
    SELECT for_integration, written.note_id, coalesce(known.version, 0) + 1,
      coalesce(position_before + written.place, known.position, 0),
      CASE WHEN written.appeared THEN position_before + written.place ELSE coalesce(known.visible_since, 0) END,
      coalesce(known.first_visible, CASE WHEN written.appeared THEN position_before + written.place END),
      CASE WHEN known.presence = 'live' AND written.presence <> 'live' AND written.place IS NOT NULL
        THEN position_before + written.place ELSE coalesce(known.vanished_since, 0) END,
      CASE WHEN (changed->written.note_id->>'title')::boolean THEN coalesce(position_before + written.place, known.position, 0)
        WHEN changed->>written.note_id = 'erased' THEN 0 ELSE coalesce(known.title_at, 0) END, CASE WHEN (changed->written.note_id->>'content')::boolean THEN coalesce(position_before + written.place, known.position, 0)
        WHEN changed->>written.note_id = 'erased' THEN 0 ELSE coalesce(known.content_at, 0) END, CASE WHEN (changed->written.note_id->>'transcript')::boolean THEN coalesce(position_before + written.place, known.position, 0)
        WHEN changed->>written.note_id = 'erased' THEN 0 ELSE coalesce(known.transcript_at, 0) END, CASE WHEN (changed->written.note_id->>'summary')::boolean THEN coalesce(position_before + written.place, known.position, 0)
        WHEN changed->>written.note_id = 'erased' THEN 0 ELSE coalesce(known.summary_at, 0) END,
      CASE WHEN (known.status, known.transcript_status, known.summary_status)
          IS DISTINCT FROM (written.status, written.transcript_status, written.summary_status) OR known.version IS NULL
        THEN coalesce(position_before + written.place, known.position, 0) ELSE known.statuses_at END,
      -- A due time that was read from this row is already by the clock of the server.
      CASE WHEN known.due_at = to_timestamp(written.due_at / 1000) THEN known.due_at
        ELSE to_timestamp((written.due_at + ahead) / 1000) END,
      written.presence, written.evidence_says, written.evidence_start, written.evidence_end, written.evidence_source, to_timestamp(written.evidence_at / 1000), written.revision, to_timestamp(written.record_seen_at / 1000), written.status, written.transcript_status, written.summary_status, written.created_at, written.updated_at, written.settled_revision, written.transcript_held, written.summary_held, written.dirty, written.hinted_revision, written.hidden_by, to_timestamp(written.hidden_at / 1000), written.floor_revision, to_timestamp(written.floor_at / 1000), to_timestamp(written.floor_deleted_at / 1000), to_timestamp(written.floor_unrevised_at / 1000), to_timestamp(written.contradicted_since / 1000), written.held_by_scan, written.attempts, written.failures, written.heard_kind, written.heard_revision, written.heard_sequence, to_timestamp(written.heard_at / 1000)
      FROM jsonb_to_recordset(writes) AS written (
        note_id text, place bigint, appeared boolean, presence text, evidence_says text, evidence_start bigint, evidence_end bigint, evidence_source text, evidence_at float8, revision bigint, record_seen_at float8, status text, transcript_status text, summary_status text, created_at text, updated_at text, settled_revision bigint, transcript_held text, summary_held text, dirty bigint, hinted_revision numeric, hidden_by bigint, hidden_at float8, floor_revision numeric, floor_at float8, floor_deleted_at float8, floor_unrevised_at float8, contradicted_since float8, held_by_scan text, attempts bigint, failures bigint, due_at float8, heard_kind text, heard_revision numeric, heard_sequence bigint, heard_at float8)
      LEFT JOIN notewire_mirror_notes AS known ON known.integration = for_integration AND known.note_id = written.note_id
    ON CONFLICT (integration, note_id) DO UPDATE SET
      version = excluded.version, position = excluded.position, visible_since = excluded.visible_since, first_visible = excluded.first_visible, vanished_since = excluded.vanished_since, title_at = excluded.title_at, content_at = excluded.content_at, transcript_at = excluded.transcript_at, summary_at = excluded.summary_at, statuses_at = excluded.statuses_at, presence = excluded.presence, evidence_says = excluded.evidence_says, evidence_start = excluded.evidence_start, evidence_end = excluded.evidence_end, evidence_source = excluded.evidence_source, evidence_at = excluded.evidence_at, revision = excluded.revision, record_seen_at = excluded.record_seen_at, status = excluded.status, transcript_status = excluded.transcript_status, summary_status = excluded.summary_status, created_at = excluded.created_at, updated_at = excluded.updated_at, settled_revision = excluded.settled_revision, transcript_held = excluded.transcript_held, summary_held = excluded.summary_held, dirty = excluded.dirty, hinted_revision = excluded.hinted_revision, hidden_by = excluded.hidden_by, hidden_at = excluded.hidden_at, floor_revision = excluded.floor_revision, floor_at = excluded.floor_at, floor_deleted_at = excluded.floor_deleted_at, floor_unrevised_at = excluded.floor_unrevised_at, contradicted_since = excluded.contradicted_since, held_by_scan = excluded.held_by_scan, attempts = excluded.attempts, failures = excluded.failures, due_at = excluded.due_at, heard_kind = excluded.heard_kind, heard_revision = excluded.heard_revision, heard_sequence = excluded.heard_sequence, heard_at = excluded.heard_at;

  IF hint_due_ms IS NOT NULL THEN
    UPDATE notewire_integrations AS integrations SET
      hints = integrations.hints + 1,
      rank = CASE WHEN integrations.is_held THEN integrations.rank ELSE 0 END,
      due_at = CASE
        WHEN integrations.is_held THEN integrations.due_at
        WHEN integrations.state = 'parked' THEN least(integrations.due_at, hint_due_at + 3600000 * interval '1 millisecond')
        ELSE least(integrations.due_at, greatest(hint_due_at, integrations.paused_until)) END
      WHERE integrations.integration = for_integration AND integrations.generation = fence_generation
        AND integrations.token = coalesce(fence_token, integrations.token);
  ELSIF fence_generation IS NOT NULL THEN
    PERFORM FROM notewire_integrations AS integrations WHERE integrations.integration = for_integration AND integrations.generation = fence_generation
        AND integrations.token = coalesce(fence_token, integrations.token) FOR SHARE;
  END IF;
  IF fence_generation IS NOT NULL AND NOT FOUND THEN
    RAISE EXCEPTION SQLSTATE 'NW002';
  END IF;
  RETURN 'committed';
EXCEPTION
  WHEN SQLSTATE 'NW001' THEN RETURN 'conflict';
  WHEN SQLSTATE 'NW002' THEN RETURN 'fenced';
END
$function$;

CREATE OR REPLACE FUNCTION notewire_mirror_take_1(for_integration text, now_ms float8, due_by_ms float8, until_ms float8, at_most bigint)
RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $function$
#variable_conflict use_variable
DECLARE
  ahead float8 := notewire_integrations_ahead_1(now_ms);
  moment timestamptz := to_timestamp((due_by_ms + ahead) / 1000);
  taken text[];
  others text[];
BEGIN
  taken := ARRAY(
    SELECT notes.note_id FROM notewire_mirror_notes AS notes
      WHERE notes.integration = for_integration AND notes.due_at <= moment AND notes.dirty IS NOT NULL
      ORDER BY notes.due_at LIMIT at_most
      FOR NO KEY UPDATE SKIP LOCKED);
  others := ARRAY(
    SELECT notes.note_id FROM notewire_mirror_notes AS notes
      WHERE notes.integration = for_integration AND notes.due_at <= moment AND notes.dirty IS NULL
      ORDER BY notes.due_at LIMIT at_most - cardinality(taken)
      FOR NO KEY UPDATE SKIP LOCKED);
  taken := taken || others;
  UPDATE notewire_mirror_notes AS notes SET due_at = to_timestamp((until_ms + ahead) / 1000), version = notes.version + 1
    WHERE notes.integration = for_integration AND notes.note_id = ANY (taken);

  RETURN json_build_object(
    'sequence', notewire_mirror_sequence_1(for_integration),
    'notes', (
      SELECT coalesce(json_agg(
          json_build_object('version', notes.version, 'state', json_build_object('note_id', notes.note_id, 'presence', notes.presence, 'evidence_says', notes.evidence_says, 'evidence_start', notes.evidence_start, 'evidence_end', notes.evidence_end, 'evidence_source', notes.evidence_source, 'evidence_at', extract(epoch FROM notes.evidence_at) * 1000, 'revision', notes.revision, 'record_seen_at', extract(epoch FROM notes.record_seen_at) * 1000, 'status', notes.status, 'transcript_status', notes.transcript_status, 'summary_status', notes.summary_status, 'created_at', notes.created_at, 'updated_at', notes.updated_at, 'settled_revision', notes.settled_revision, 'transcript_held', notes.transcript_held, 'summary_held', notes.summary_held, 'dirty', notes.dirty, 'hinted_revision', notes.hinted_revision, 'hidden_by', notes.hidden_by, 'hidden_at', extract(epoch FROM notes.hidden_at) * 1000, 'floor_revision', notes.floor_revision, 'floor_at', extract(epoch FROM notes.floor_at) * 1000, 'floor_deleted_at', extract(epoch FROM notes.floor_deleted_at) * 1000, 'floor_unrevised_at', extract(epoch FROM notes.floor_unrevised_at) * 1000, 'contradicted_since', extract(epoch FROM notes.contradicted_since) * 1000, 'held_by_scan', notes.held_by_scan, 'attempts', notes.attempts, 'failures', notes.failures, 'due_at', extract(epoch FROM notes.due_at) * 1000, 'heard_kind', notes.heard_kind, 'heard_revision', notes.heard_revision, 'heard_sequence', notes.heard_sequence, 'heard_at', extract(epoch FROM notes.heard_at) * 1000), 'note', content.note)
          ORDER BY place), '[]')
        FROM unnest(taken) WITH ORDINALITY AS row_taken (note_id, place)
        JOIN notewire_mirror_notes AS notes ON notes.integration = for_integration AND notes.note_id = row_taken.note_id
        LEFT JOIN notewire_mirror_content AS content ON content.integration = for_integration AND content.note_id = row_taken.note_id),
    'next_due_at', least(
      (SELECT extract(epoch FROM notes.due_at) * 1000 FROM notewire_mirror_notes AS notes
        WHERE notes.integration = for_integration AND notes.due_at IS NOT NULL AND notes.dirty IS NOT NULL AND notes.note_id <> ALL (taken)
        ORDER BY notes.due_at LIMIT 1),
      (SELECT extract(epoch FROM notes.due_at) * 1000 FROM notewire_mirror_notes AS notes
        WHERE notes.integration = for_integration AND notes.due_at IS NOT NULL AND notes.dirty IS NULL AND notes.note_id <> ALL (taken)
        ORDER BY notes.due_at LIMIT 1)) - ahead);
END
$function$;

CREATE TABLE IF NOT EXISTS notewire_integrations (
  integration    text COLLATE "C" NOT NULL PRIMARY KEY,
  generation     text NOT NULL,    -- id of this copy
  state          text NOT NULL,    -- 'active', 'parked' or 'removing'
  parked_because text,
  due_at         timestamptz,      -- when the next work is due; while a worker has it, the end of its lease
  rank           integer NOT NULL, -- of the work: 0 hint, 1 poll, 2 backfill, 3 scan
  hints          bigint NOT NULL,  -- number of hints so far
  token          bigint NOT NULL,  -- fencing token: how often a worker took it
  is_held        boolean NOT NULL, -- whether a worker has it
  failures       integer NOT NULL, -- consecutive
  paused_until   timestamptz,      -- no request is sent before this time
  key_print      text UNIQUE,      -- identifies the API key and its service
  poll_every_ms  float8,
  endpoint       jsonb
) WITH (fillfactor = 50);

CREATE INDEX IF NOT EXISTS notewire_integrations_due ON notewire_integrations (rank, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_integrations_held ON notewire_integrations (due_at) WHERE is_held;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_contradicted ON notewire_mirror_notes (integration)
  WHERE contradicted_since IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_held ON notewire_mirror_notes (integration) WHERE held_by_scan IS NOT NULL;

CREATE OR REPLACE FUNCTION notewire_integrations_now_1(caller_ms float8) RETURNS timestamptz LANGUAGE sql AS $function$
  SELECT clock_timestamp()
$function$;

CREATE OR REPLACE FUNCTION notewire_integrations_ahead_1(caller_ms float8) RETURNS float8 LANGUAGE plpgsql AS $function$
BEGIN
  -- Rounded up, so that what this server made due is due for a later call.
  RETURN coalesce(ceil(extract(epoch FROM notewire_integrations_now_1(caller_ms)) * 1000)::float8 - caller_ms, 0);
END
$function$;

CREATE OR REPLACE FUNCTION notewire_integrations_take_2(now_ms float8, until_ms float8, most integer, only_this text)
RETURNS text LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off AS $function$
#variable_conflict use_variable
DECLARE
  ahead float8 := notewire_integrations_ahead_1(now_ms);
  moment timestamptz := to_timestamp((now_ms + ahead) / 1000);
  latest_due timestamptz := moment + 86400000 * interval '1 millisecond';
  latest_end timestamptz := moment + 2 * (until_ms - now_ms) * interval '1 millisecond';
  taken text;
  result text;
BEGIN
  FOR wanted IN 0..most LOOP
    SELECT integrations.integration INTO taken FROM notewire_integrations AS integrations
      WHERE integrations.rank = wanted AND integrations.due_at <= moment
        AND (only_this IS NULL OR integrations.integration = only_this)
      ORDER BY integrations.due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    EXIT WHEN FOUND;
    -- Written before the clock was set back.
    SELECT integrations.integration INTO taken FROM notewire_integrations AS integrations
      WHERE integrations.rank = wanted AND integrations.due_at > latest_due
        AND (only_this IS NULL OR integrations.integration = only_this)
      ORDER BY integrations.due_at DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    EXIT WHEN FOUND;
  END LOOP;
  IF taken IS NULL THEN
    SELECT integrations.integration INTO taken FROM notewire_integrations AS integrations
      WHERE integrations.is_held AND integrations.due_at > latest_end AND integrations.rank <= most
        AND (only_this IS NULL OR integrations.integration = only_this)
      ORDER BY integrations.due_at DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
  END IF;
  IF taken IS NULL THEN
    RETURN NULL;
  END IF;
  UPDATE notewire_integrations AS integrations
    SET token = integrations.token + 1, is_held = true, due_at = to_timestamp((until_ms + ahead) / 1000)
    WHERE integrations.integration = taken RETURNING json_build_object(
    'integration', integrations.integration, 'generation', integrations.generation, 'state', integrations.state,
    'parkedBecause', integrations.parked_because, 'dueAt', extract(epoch FROM integrations.due_at) * 1000 - ahead, 'rank', integrations.rank, 'hints', integrations.hints,
    'token', integrations.token, 'failures', integrations.failures, 'pausedUntil', extract(epoch FROM integrations.paused_until) * 1000 - ahead,
    'keyPrint', integrations.key_print, 'pollEveryMs', integrations.poll_every_ms, 'endpoint', integrations.endpoint)::text INTO result;
  RETURN (
    SELECT json_build_object('record', result::json, 'copy', json_build_object(
    'sequence', notewire_mirror_sequence_1(asked.integration), 'progress', mirrors.progress,
    'progress_version', coalesce(mirrors.progress_version, 0), 'heard_at', extract(epoch FROM mirrors.heard_at) * 1000,
    'next_due_at', least((SELECT extract(epoch FROM notes.due_at) * 1000 FROM notewire_mirror_notes AS notes
      WHERE notes.integration = asked.integration AND notes.due_at IS NOT NULL AND notes.dirty IS NOT NULL ORDER BY notes.due_at LIMIT 1), (SELECT extract(epoch FROM notes.due_at) * 1000 FROM notewire_mirror_notes AS notes
      WHERE notes.integration = asked.integration AND notes.due_at IS NOT NULL AND notes.dirty IS NULL ORDER BY notes.due_at LIMIT 1)) - ahead,
    'hidden_since', (SELECT extract(epoch FROM notes.hidden_at) * 1000 FROM notewire_mirror_notes AS notes
      WHERE notes.integration = asked.integration AND notes.hidden_at IS NOT NULL AND notes.presence = 'hidden' ORDER BY notes.hidden_at LIMIT 1)))
      FROM (SELECT taken AS integration) AS asked LEFT JOIN notewire_mirrors AS mirrors ON mirrors.integration = asked.integration);
END
$function$;

CREATE OR REPLACE FUNCTION notewire_integrations_finish_1(
  for_integration text, fence_generation text, fence_token bigint, next text, hints_seen bigint, heard_due_ms float8,
  now_ms float8
) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '10s' AS $function$
#variable_conflict use_variable
DECLARE
  work jsonb := next::jsonb;
  ahead float8 := notewire_integrations_ahead_1(now_ms);
BEGIN
  UPDATE notewire_integrations AS integrations SET
    is_held = false,
    state = work->>'state',
    parked_because = work->>'parkedBecause',
    failures = (work->>'failures')::integer,
    paused_until = to_timestamp(((work->>'pausedUntil')::float8 + ahead) / 1000),
    poll_every_ms = (work->>'pollEveryMs')::float8,
    endpoint = nullif(work->'endpoint', 'null'),
    rank = CASE WHEN integrations.hints = hints_seen THEN (work->>'rank')::integer ELSE 0 END,
    due_at = to_timestamp(
      (CASE WHEN integrations.hints = hints_seen THEN (work->>'dueAt')::float8 ELSE heard_due_ms END + ahead) / 1000)
    WHERE integrations.integration = for_integration AND integrations.generation = fence_generation
      AND integrations.token = fence_token;
  RETURN FOUND;
END
$function$;

CREATE OR REPLACE FUNCTION notewire_integrations_claim_1(
  for_integration text, fence_generation text, fence_token bigint, print text
) RETURNS text LANGUAGE plpgsql SET lock_timeout = '10s' AS $function$
#variable_conflict use_variable
BEGIN
  UPDATE notewire_integrations AS integrations SET key_print = print WHERE integrations.integration = for_integration AND integrations.generation = fence_generation
      AND integrations.token = fence_token;
  RETURN CASE WHEN FOUND THEN 'claimed' ELSE 'fenced' END;
EXCEPTION WHEN unique_violation THEN
  RETURN 'shared';
END
$function$;

CREATE OR REPLACE FUNCTION notewire_integrations_erase_1(
  for_integration text, fence_generation text, fence_token bigint, at_most bigint
) RETURNS text LANGUAGE plpgsql SET lock_timeout = '10s' AS $function$
#variable_conflict use_variable
DECLARE
  erased text[];
  is_empty boolean;
BEGIN
  erased := ARRAY(
    SELECT notes.note_id FROM notewire_mirror_notes AS notes WHERE notes.integration = for_integration
      ORDER BY notes.note_id LIMIT at_most FOR UPDATE);
  DELETE FROM notewire_mirror_content AS content WHERE content.integration = for_integration AND content.note_id = ANY (erased);
  DELETE FROM notewire_mirror_notes AS notes WHERE notes.integration = for_integration AND notes.note_id = ANY (erased);
  is_empty := cardinality(erased) < at_most;
  IF is_empty THEN
    DELETE FROM notewire_mirror_consumer_notes AS consumed WHERE consumed.integration = for_integration;
    DELETE FROM notewire_mirror_consumers AS consumers WHERE consumers.integration = for_integration;
    DELETE FROM notewire_mirror_sequences AS sequences WHERE sequences.integration = for_integration;
    DELETE FROM notewire_mirrors AS mirrors WHERE mirrors.integration = for_integration;
  END IF;
  PERFORM FROM notewire_integrations AS integrations WHERE integrations.integration = for_integration AND integrations.generation = fence_generation
      AND integrations.token = fence_token AND integrations.state = 'removing' FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION SQLSTATE 'NW002';
  END IF;
  IF is_empty THEN
    DELETE FROM notewire_integrations AS integrations WHERE integrations.integration = for_integration;
  END IF;
  RETURN CASE WHEN is_empty THEN 'done' ELSE 'more' END;
EXCEPTION WHEN SQLSTATE 'NW002' THEN
  RETURN 'fenced';
END
$function$;

-- A function finds the tables in the schema in which it was created, whatever the search_path of its caller.
ALTER FUNCTION notewire_mirror_load_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_mirror_commit_2 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_mirror_take_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_mirror_sequence_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_mirror_plain_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_mirror_words_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_mirror_query_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_integrations_now_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_integrations_ahead_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_integrations_take_2 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_integrations_finish_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_integrations_claim_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_integrations_erase_1 SET search_path FROM CURRENT;
END
$migration$;
INSERT INTO notewire_mirror_content SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_content, E'{"note": {"owner": {"type": "channel", "channel_id": "channel_1"}, "title": "Weekly 1", "status": "ended", "content": "Agenda of 1: “Ünïcode” \\u001a0000 and ''quotes''", "note_id": "note_1", "revision": 2, "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-22T10:30:00Z", "summary_status": "ready", "transcript_status": "ready"}, "search": "''1'':2A,5C ''agenda'':3C ''and'':7C ''of'':4C ''quotes'':8C ''weekly'':1A ''ünïcode'':6C", "note_id": "note_1", "summary": null, "transcript": null, "integration": "interrupted"}');
INSERT INTO notewire_mirror_content SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_content, E'{"note": {"owner": {"type": "channel", "channel_id": "channel_1"}, "title": "Weekly 2", "status": "ended", "content": "Agenda of 2: “Ünïcode” \\u001a0000 and ''quotes''", "note_id": "note_2", "revision": 2, "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-22T10:30:00Z", "summary_status": "ready", "transcript_status": "ready"}, "search": "''2'':2A,5C ''agenda'':3C ''and'':7C ''of'':4C ''quotes'':8C ''weekly'':1A ''ünïcode'':6C", "note_id": "note_2", "summary": null, "transcript": null, "integration": "interrupted"}');
INSERT INTO notewire_mirror_content SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_content, E'{"note": {"owner": {"type": "channel", "channel_id": "channel_1"}, "title": "Weekly ada", "status": "ended", "content": "Agenda of ada: “Ünïcode” \\u001a0000 and ''quotes''", "note_id": "note_ada", "revision": 2, "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-22T10:30:00Z", "summary_status": "ready", "transcript_status": "ready"}, "search": "''ada'':2A,4B,9C,17 ''agenda'':7C ''agreed'':6B ''and'':11C ''decisions'':3B ''good'':13 ''is'':16 ''morning'':14 ''of'':8C ''quotes'':12C ''this'':15 ''was'':5B ''weekly'':1A ''ünïcode'':10C", "note_id": "note_ada", "summary": {"status": "ready", "note_id": "note_ada", "markdown": "## Decisions\\n\\n* ada was agreed", "revision": 2}, "transcript": {"text": "Good morning, this is ada", "note_id": "note_ada", "revision": 2, "segments": [{"text": "Good morning, this is ada", "end_ms": 900, "speaker": "Ada", "start_ms": 0}]}, "integration": "default"}');
INSERT INTO notewire_mirror_content SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_content, E'{"note": {"owner": {"type": "channel", "channel_id": "channel_1"}, "title": "Weekly budget", "status": "ended", "content": "Agenda of budget: “Ünïcode” \\u001a0000 and ''quotes''", "note_id": "note_budget", "revision": 2, "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-22T10:30:00Z", "summary_status": "ready", "transcript_status": "ready"}, "search": "''agenda'':7C ''agreed'':6B ''and'':11C ''budget'':2A,4B,9C,17 ''decisions'':3B ''good'':13 ''is'':16 ''morning'':14 ''of'':8C ''quotes'':12C ''this'':15 ''was'':5B ''weekly'':1A ''ünïcode'':10C", "note_id": "note_budget", "summary": {"status": "ready", "note_id": "note_budget", "markdown": "## Decisions\\n\\n* budget was agreed", "revision": 2}, "transcript": {"text": "Good morning, this is budget", "note_id": "note_budget", "revision": 2, "segments": [{"text": "Good morning, this is budget", "end_ms": 900, "speaker": "Ada", "start_ms": 0}]}, "integration": "default"}');
INSERT INTO notewire_mirror_content SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_content, E'{"note": {"owner": {"type": "channel", "channel_id": "channel_1"}, "title": "Weekly leaving", "status": "ended", "content": "Agenda of leaving: “Ünïcode” \\u001a0000 and ''quotes''", "note_id": "note_leaving", "revision": 2, "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-22T10:30:00Z", "summary_status": "ready", "transcript_status": "ready"}, "search": "''agenda'':7C ''agreed'':6B ''and'':11C ''decisions'':3B ''good'':13 ''is'':16 ''leaving'':2A,4B,9C,17 ''morning'':14 ''of'':8C ''quotes'':12C ''this'':15 ''was'':5B ''weekly'':1A ''ünïcode'':10C", "note_id": "note_leaving", "summary": {"status": "ready", "note_id": "note_leaving", "markdown": "## Decisions\\n\\n* leaving was agreed", "revision": 2}, "transcript": {"text": "Good morning, this is leaving", "note_id": "note_leaving", "revision": 2, "segments": [{"text": "Good morning, this is leaving", "end_ms": 900, "speaker": "Ada", "start_ms": 0}]}, "integration": "default"}');
INSERT INTO notewire_mirror_content SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_content, E'{"note": {"owner": {"type": "channel", "channel_id": "channel_1"}, "title": "Weekly one", "status": "ended", "content": "Agenda of one: “Ünïcode” \\u001a0000 and ''quotes''", "note_id": "note_one", "revision": 2, "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-22T10:30:00Z", "summary_status": "ready", "transcript_status": "ready"}, "search": "''agenda'':7C ''agreed'':6B ''and'':11C ''decisions'':3B ''good'':13 ''is'':16 ''morning'':14 ''of'':8C ''one'':2A,4B,9C,17 ''quotes'':12C ''this'':15 ''was'':5B ''weekly'':1A ''ünïcode'':10C", "note_id": "note_one", "summary": {"status": "ready", "note_id": "note_one", "markdown": "## Decisions\\n\\n* one was agreed", "revision": 2}, "transcript": {"text": "Good morning, this is one", "note_id": "note_one", "revision": 2, "segments": [{"text": "Good morning, this is one", "end_ms": 900, "speaker": "Ada", "start_ms": 0}]}, "integration": "emptied"}');
INSERT INTO notewire_mirror_content SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_content, E'{"note": {"owner": {"type": "channel", "channel_id": "channel_1"}, "title": "Weekly recording", "status": "pending", "content": "Agenda of recording: “Ünïcode” \\u001a0000 and ''quotes''", "note_id": "note_recording", "revision": 2, "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-22T10:30:00Z", "summary_status": "pending", "transcript_status": "pending"}, "search": "''agenda'':3C ''and'':7C ''of'':4C ''quotes'':8C ''recording'':2A,5C ''weekly'':1A ''ünïcode'':6C", "note_id": "note_recording", "summary": null, "transcript": null, "integration": "default"}');
INSERT INTO notewire_mirror_content SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_content, E'{"note": {"owner": {"type": "channel", "channel_id": "channel_1"}, "title": "Weekly renamed", "status": "ended", "content": "Agenda of renamed: “Ünïcode” \\u001a0000 and ''quotes''", "note_id": "note_renamed", "revision": 2, "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-22T10:30:00Z", "summary_status": "ready", "transcript_status": "ready"}, "search": "''agenda'':7C ''agreed'':6B ''and'':11C ''decisions'':3B ''good'':13 ''is'':16 ''morning'':14 ''of'':8C ''quotes'':12C ''renamed'':2A,4B,9C,17 ''this'':15 ''was'':5B ''weekly'':1A ''ünïcode'':10C", "note_id": "note_renamed", "summary": {"status": "ready", "note_id": "note_renamed", "markdown": "## Decisions\\n\\n* renamed was agreed", "revision": 2}, "transcript": {"text": "Good morning, this is renamed", "note_id": "note_renamed", "revision": 2, "segments": [{"text": "Good morning, this is renamed", "end_ms": 900, "speaker": "Ada", "start_ms": 0}]}, "integration": "default"}');
INSERT INTO notewire_mirror_content SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_content, E'{"note": {"owner": {"type": "channel", "channel_id": "channel_1"}, "title": "Weekly restored", "status": "ended", "content": "Agenda of restored: “Ünïcode” \\u001a0000 and ''quotes''", "note_id": "note_restored", "revision": 2, "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-22T10:30:00Z", "summary_status": "ready", "transcript_status": "ready"}, "search": "''agenda'':7C ''agreed'':6B ''and'':11C ''decisions'':3B ''good'':13 ''is'':16 ''morning'':14 ''of'':8C ''quotes'':12C ''restored'':2A,4B,9C,17 ''this'':15 ''was'':5B ''weekly'':1A ''ünïcode'':10C", "note_id": "note_restored", "summary": {"status": "ready", "note_id": "note_restored", "markdown": "## Decisions\\n\\n* restored was agreed", "revision": 2}, "transcript": {"text": "Good morning, this is restored", "note_id": "note_restored", "revision": 2, "segments": [{"text": "Good morning, this is restored", "end_ms": 900, "speaker": "Ada", "start_ms": 0}]}, "integration": "default"}');
INSERT INTO notewire_mirror_content SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_content, E'{"note": {"owner": {"type": "channel", "channel_id": "channel_1"}, "title": "Weekly three", "status": "ended", "content": "Agenda of three: “Ünïcode” \\u001a0000 and ''quotes''", "note_id": "note_three", "revision": 2, "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-22T10:30:00Z", "summary_status": "ready", "transcript_status": "ready"}, "search": "''agenda'':7C ''agreed'':6B ''and'':11C ''decisions'':3B ''good'':13 ''is'':16 ''morning'':14 ''of'':8C ''quotes'':12C ''this'':15 ''three'':2A,4B,9C,17 ''was'':5B ''weekly'':1A ''ünïcode'':10C", "note_id": "note_three", "summary": {"status": "ready", "note_id": "note_three", "markdown": "## Decisions\\n\\n* three was agreed", "revision": 2}, "transcript": {"text": "Good morning, this is three", "note_id": "note_three", "revision": 2, "segments": [{"text": "Good morning, this is three", "end_ms": 900, "speaker": "Ada", "start_ms": 0}]}, "integration": "emptied"}');
INSERT INTO notewire_mirror_content SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_content, E'{"note": {"owner": {"type": "channel", "channel_id": "channel_1"}, "title": "Weekly two", "status": "ended", "content": "Agenda of two: “Ünïcode” \\u001a0000 and ''quotes''", "note_id": "note_two", "revision": 2, "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-22T10:30:00Z", "summary_status": "ready", "transcript_status": "ready"}, "search": "''agenda'':7C ''agreed'':6B ''and'':11C ''decisions'':3B ''good'':13 ''is'':16 ''morning'':14 ''of'':8C ''quotes'':12C ''this'':15 ''two'':2A,4B,9C,17 ''was'':5B ''weekly'':1A ''ünïcode'':10C", "note_id": "note_two", "summary": {"status": "ready", "note_id": "note_two", "markdown": "## Decisions\\n\\n* two was agreed", "revision": 2}, "transcript": {"text": "Good morning, this is two", "note_id": "note_two", "revision": 2, "segments": [{"text": "Good morning, this is two", "end_ms": 900, "speaker": "Ada", "start_ms": 0}]}, "integration": "emptied"}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": 12, "due_at": "2026-11-22T11:10:02.35+00:00", "status": "ended", "note_id": "note_restored", "version": 1, "attempts": 1, "failures": 0, "floor_at": null, "heard_at": null, "position": 5, "presence": "live", "revision": 2, "title_at": 5, "hidden_at": null, "hidden_by": null, "content_at": 5, "created_at": "2026-11-20T09:00:00Z", "heard_kind": null, "summary_at": 5, "updated_at": "2026-11-22T10:30:00Z", "evidence_at": "2026-11-22T11:10:00.35+00:00", "integration": "default", "statuses_at": 5, "evidence_end": 15, "held_by_scan": null, "summary_held": "ready", "evidence_says": "present", "first_visible": 5, "transcript_at": 5, "visible_since": 5, "evidence_start": 12, "floor_revision": null, "heard_revision": null, "heard_sequence": null, "record_seen_at": "2026-11-22T11:00:00.15+00:00", "summary_status": "ready", "vanished_since": 0, "evidence_source": "read", "hinted_revision": null, "transcript_held": "ready", "floor_deleted_at": null, "settled_revision": 2, "transcript_status": "ready", "contradicted_since": "2026-11-22T11:10:00.35+00:00", "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": 16, "due_at": "2026-11-22T11:10:00.35+00:00", "status": "ended", "note_id": "note_leaving", "version": 1, "attempts": 0, "failures": 0, "floor_at": "2026-11-22T11:10:00.35+00:00", "heard_at": "2026-11-22T11:10:00.35+00:00", "position": 7, "presence": "hidden", "revision": 2, "title_at": 7, "hidden_at": "2026-11-22T11:10:00.35+00:00", "hidden_by": 16, "content_at": 7, "created_at": "2026-11-20T09:00:00Z", "heard_kind": "note.deleted", "summary_at": 7, "updated_at": "2026-11-22T10:30:00Z", "evidence_at": "2026-11-22T11:10:00.35+00:00", "integration": "default", "statuses_at": 7, "evidence_end": 11, "held_by_scan": null, "summary_held": "ready", "evidence_says": "present", "first_visible": null, "transcript_at": 7, "visible_since": 0, "evidence_start": 10, "floor_revision": 3, "heard_revision": 3, "heard_sequence": 16, "record_seen_at": "2026-11-22T11:00:00.05+00:00", "summary_status": "ready", "vanished_since": 0, "evidence_source": "scan", "hinted_revision": null, "transcript_held": "ready", "floor_deleted_at": "2026-11-22T11:10:00.35+00:00", "settled_revision": 2, "transcript_status": "ready", "contradicted_since": null, "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": 17, "due_at": "2026-11-22T11:10:00.35+00:00", "status": "ended", "note_id": "note_renamed", "version": 1, "attempts": 0, "failures": 0, "floor_at": null, "heard_at": "2026-11-22T11:10:00.35+00:00", "position": 4, "presence": "live", "revision": 2, "title_at": 4, "hidden_at": null, "hidden_by": null, "content_at": 4, "created_at": "2026-11-20T09:00:00Z", "heard_kind": "note.updated", "summary_at": 4, "updated_at": "2026-11-22T10:30:00Z", "evidence_at": "2026-11-22T11:10:00.35+00:00", "integration": "default", "statuses_at": 4, "evidence_end": 12, "held_by_scan": null, "summary_held": "ready", "evidence_says": "present", "first_visible": 4, "transcript_at": 4, "visible_since": 4, "evidence_start": 11, "floor_revision": null, "heard_revision": 3, "heard_sequence": 17, "record_seen_at": "2026-11-22T11:00:00.05+00:00", "summary_status": "ready", "vanished_since": 0, "evidence_source": "scan", "hinted_revision": 3, "transcript_held": "ready", "floor_deleted_at": null, "settled_revision": 2, "transcript_status": "ready", "contradicted_since": null, "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": 18, "due_at": "2026-11-22T11:10:00.35+00:00", "status": null, "note_id": "note_new", "version": 1, "attempts": 0, "failures": 0, "floor_at": null, "heard_at": "2026-11-22T11:10:00.35+00:00", "position": 0, "presence": "hidden", "revision": null, "title_at": 0, "hidden_at": null, "hidden_by": null, "content_at": 0, "created_at": null, "heard_kind": "note.ended", "summary_at": 0, "updated_at": null, "evidence_at": null, "integration": "default", "statuses_at": 0, "evidence_end": null, "held_by_scan": null, "summary_held": null, "evidence_says": null, "first_visible": null, "transcript_at": 0, "visible_since": 0, "evidence_start": null, "floor_revision": null, "heard_revision": 2, "heard_sequence": 18, "record_seen_at": null, "summary_status": null, "vanished_since": 0, "evidence_source": null, "hinted_revision": 2, "transcript_held": null, "floor_deleted_at": null, "settled_revision": null, "transcript_status": null, "contradicted_since": null, "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": null, "due_at": "2026-11-22T11:15:00.5+00:00", "status": "ended", "note_id": "note_1", "version": 1, "attempts": 0, "failures": 0, "floor_at": null, "heard_at": null, "position": 1, "presence": "live", "revision": 2, "title_at": 1, "hidden_at": null, "hidden_by": null, "content_at": 1, "created_at": "2026-11-20T09:00:00Z", "heard_kind": null, "summary_at": 0, "updated_at": "2026-11-22T10:30:00Z", "evidence_at": "2026-11-22T11:15:00.5+00:00", "integration": "interrupted", "statuses_at": 1, "evidence_end": 3, "held_by_scan": null, "summary_held": null, "evidence_says": "present", "first_visible": 1, "transcript_at": 0, "visible_since": 1, "evidence_start": 2, "floor_revision": null, "heard_revision": null, "heard_sequence": null, "record_seen_at": "2026-11-22T11:15:00.5+00:00", "summary_status": "ready", "vanished_since": 0, "evidence_source": "backfill", "hinted_revision": null, "transcript_held": null, "floor_deleted_at": null, "settled_revision": null, "transcript_status": "ready", "contradicted_since": null, "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": null, "due_at": "2026-11-22T11:15:00.5+00:00", "status": "ended", "note_id": "note_2", "version": 1, "attempts": 0, "failures": 0, "floor_at": null, "heard_at": null, "position": 2, "presence": "live", "revision": 2, "title_at": 2, "hidden_at": null, "hidden_by": null, "content_at": 2, "created_at": "2026-11-20T09:00:00Z", "heard_kind": null, "summary_at": 0, "updated_at": "2026-11-22T10:30:00Z", "evidence_at": "2026-11-22T11:15:00.5+00:00", "integration": "interrupted", "statuses_at": 2, "evidence_end": 3, "held_by_scan": null, "summary_held": null, "evidence_says": "present", "first_visible": 2, "transcript_at": 0, "visible_since": 2, "evidence_start": 2, "floor_revision": null, "heard_revision": null, "heard_sequence": null, "record_seen_at": "2026-11-22T11:15:00.5+00:00", "summary_status": "ready", "vanished_since": 0, "evidence_source": "backfill", "hinted_revision": null, "transcript_held": null, "floor_deleted_at": null, "settled_revision": null, "transcript_status": "ready", "contradicted_since": null, "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": null, "due_at": null, "status": "ended", "note_id": "note_ada", "version": 1, "attempts": 0, "failures": 0, "floor_at": null, "heard_at": null, "position": 1, "presence": "live", "revision": 2, "title_at": 1, "hidden_at": null, "hidden_by": null, "content_at": 1, "created_at": "2026-11-20T09:00:00Z", "heard_kind": null, "summary_at": 1, "updated_at": "2026-11-22T10:30:00Z", "evidence_at": "2026-11-22T11:10:00.35+00:00", "integration": "default", "statuses_at": 1, "evidence_end": 10, "held_by_scan": null, "summary_held": "ready", "evidence_says": "present", "first_visible": 1, "transcript_at": 1, "visible_since": 1, "evidence_start": 9, "floor_revision": null, "heard_revision": null, "heard_sequence": null, "record_seen_at": "2026-11-22T11:00:00+00:00", "summary_status": "ready", "vanished_since": 0, "evidence_source": "scan", "hinted_revision": null, "transcript_held": "ready", "floor_deleted_at": null, "settled_revision": 2, "transcript_status": "ready", "contradicted_since": null, "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": null, "due_at": null, "status": "ended", "note_id": "note_budget", "version": 1, "attempts": 0, "failures": 0, "floor_at": null, "heard_at": null, "position": 2, "presence": "live", "revision": 2, "title_at": 2, "hidden_at": null, "hidden_by": null, "content_at": 2, "created_at": "2026-11-20T09:00:00Z", "heard_kind": null, "summary_at": 2, "updated_at": "2026-11-22T10:30:00Z", "evidence_at": "2026-11-22T11:10:00.35+00:00", "integration": "default", "statuses_at": 2, "evidence_end": 10, "held_by_scan": null, "summary_held": "ready", "evidence_says": "present", "first_visible": 2, "transcript_at": 2, "visible_since": 2, "evidence_start": 9, "floor_revision": null, "heard_revision": null, "heard_sequence": null, "record_seen_at": "2026-11-22T11:00:00+00:00", "summary_status": "ready", "vanished_since": 0, "evidence_source": "scan", "hinted_revision": null, "transcript_held": "ready", "floor_deleted_at": null, "settled_revision": 2, "transcript_status": "ready", "contradicted_since": null, "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": null, "due_at": null, "status": "ended", "note_id": "note_gone", "version": 1, "attempts": 0, "failures": 0, "floor_at": "2026-11-22T11:05:00.35+00:00", "heard_at": "2026-11-22T11:05:00.35+00:00", "position": 6, "presence": "gone", "revision": 2, "title_at": 0, "hidden_at": null, "hidden_by": null, "content_at": 0, "created_at": "2026-11-20T09:00:00Z", "heard_kind": "note.deleted", "summary_at": 0, "updated_at": "2026-11-22T10:30:00Z", "evidence_at": "2026-11-22T11:05:00.35+00:00", "integration": "default", "statuses_at": 6, "evidence_end": 8, "held_by_scan": null, "summary_held": null, "evidence_says": "absent", "first_visible": null, "transcript_at": 0, "visible_since": 0, "evidence_start": 7, "floor_revision": 3, "heard_revision": 3, "heard_sequence": 7, "record_seen_at": "2026-11-22T11:00:00+00:00", "summary_status": "ready", "vanished_since": 0, "evidence_source": "read", "hinted_revision": null, "transcript_held": null, "floor_deleted_at": "2026-11-22T11:05:00.35+00:00", "settled_revision": null, "transcript_status": "ready", "contradicted_since": null, "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": null, "due_at": null, "status": "ended", "note_id": "note_one", "version": 1, "attempts": 0, "failures": 0, "floor_at": null, "heard_at": null, "position": 1, "presence": "hidden", "revision": 2, "title_at": 1, "hidden_at": null, "hidden_by": null, "content_at": 1, "created_at": "2026-11-20T09:00:00Z", "heard_kind": null, "summary_at": 1, "updated_at": "2026-11-22T10:30:00Z", "evidence_at": "2026-11-22T11:15:00.5+00:00", "integration": "emptied", "statuses_at": 1, "evidence_end": 8, "held_by_scan": "00000000-0000-4000-8000-000000000007", "summary_held": "ready", "evidence_says": "absent", "first_visible": null, "transcript_at": 1, "visible_since": 0, "evidence_start": 7, "floor_revision": null, "heard_revision": null, "heard_sequence": null, "record_seen_at": "2026-11-22T11:10:00.35+00:00", "summary_status": "ready", "vanished_since": 0, "evidence_source": "read", "hinted_revision": null, "transcript_held": "ready", "floor_deleted_at": null, "settled_revision": null, "transcript_status": "ready", "contradicted_since": null, "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": null, "due_at": null, "status": "ended", "note_id": "note_three", "version": 1, "attempts": 0, "failures": 0, "floor_at": null, "heard_at": null, "position": 3, "presence": "hidden", "revision": 2, "title_at": 3, "hidden_at": null, "hidden_by": null, "content_at": 3, "created_at": "2026-11-20T09:00:00Z", "heard_kind": null, "summary_at": 3, "updated_at": "2026-11-22T10:30:00Z", "evidence_at": "2026-11-22T11:15:00.5+00:00", "integration": "emptied", "statuses_at": 3, "evidence_end": 9, "held_by_scan": "00000000-0000-4000-8000-000000000007", "summary_held": "ready", "evidence_says": "absent", "first_visible": null, "transcript_at": 3, "visible_since": 0, "evidence_start": 7, "floor_revision": null, "heard_revision": null, "heard_sequence": null, "record_seen_at": "2026-11-22T11:10:00.35+00:00", "summary_status": "ready", "vanished_since": 0, "evidence_source": "read", "hinted_revision": null, "transcript_held": "ready", "floor_deleted_at": null, "settled_revision": null, "transcript_status": "ready", "contradicted_since": null, "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": null, "due_at": null, "status": "ended", "note_id": "note_two", "version": 1, "attempts": 0, "failures": 0, "floor_at": null, "heard_at": null, "position": 2, "presence": "hidden", "revision": 2, "title_at": 2, "hidden_at": null, "hidden_by": null, "content_at": 2, "created_at": "2026-11-20T09:00:00Z", "heard_kind": null, "summary_at": 2, "updated_at": "2026-11-22T10:30:00Z", "evidence_at": "2026-11-22T11:15:00.5+00:00", "integration": "emptied", "statuses_at": 2, "evidence_end": 10, "held_by_scan": "00000000-0000-4000-8000-000000000007", "summary_held": "ready", "evidence_says": "absent", "first_visible": null, "transcript_at": 2, "visible_since": 0, "evidence_start": 7, "floor_revision": null, "heard_revision": null, "heard_sequence": null, "record_seen_at": "2026-11-22T11:10:00.35+00:00", "summary_status": "ready", "vanished_since": 0, "evidence_source": "read", "hinted_revision": null, "transcript_held": "ready", "floor_deleted_at": null, "settled_revision": null, "transcript_status": "ready", "contradicted_since": null, "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_notes SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_notes, '{"dirty": null, "due_at": null, "status": "pending", "note_id": "note_recording", "version": 1, "attempts": 0, "failures": 0, "floor_at": null, "heard_at": null, "position": 3, "presence": "live", "revision": 2, "title_at": 3, "hidden_at": null, "hidden_by": null, "content_at": 3, "created_at": "2026-11-20T09:00:00Z", "heard_kind": null, "summary_at": 0, "updated_at": "2026-11-22T10:30:00Z", "evidence_at": "2026-11-22T11:10:00.35+00:00", "integration": "default", "statuses_at": 3, "evidence_end": 11, "held_by_scan": null, "summary_held": "not_ready", "evidence_says": "present", "first_visible": 3, "transcript_at": 0, "visible_since": 3, "evidence_start": 10, "floor_revision": null, "heard_revision": null, "heard_sequence": null, "record_seen_at": "2026-11-22T11:00:00+00:00", "summary_status": "pending", "vanished_since": 0, "evidence_source": "scan", "hinted_revision": null, "transcript_held": "not_ready", "floor_deleted_at": null, "settled_revision": 2, "transcript_status": "pending", "contradicted_since": null, "floor_unrevised_at": null}');
INSERT INTO notewire_mirror_sequences SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_sequences, '{"sequence": 14, "integration": "emptied", "sequence_limit": 1000}');
INSERT INTO notewire_mirror_sequences SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_sequences, '{"sequence": 20, "integration": "default", "sequence_limit": 1000}');
INSERT INTO notewire_mirror_sequences SELECT * FROM jsonb_populate_record(NULL::notewire_mirror_sequences, '{"sequence": 5, "integration": "interrupted", "sequence_limit": 1000}');
INSERT INTO notewire_mirrors SELECT * FROM jsonb_populate_record(NULL::notewire_mirrors, '{"heard_at": "2026-11-22T11:10:00.35+00:00", "position": 7, "progress": {"key": {"kind": "key_id", "keyId": "frozen"}, "poll": {"heardAt": 1795345500350, "polledAt": 1795345800350, "watermark": 1795345800000, "checkpoint": "changes.1.WzE3OTUzNDU4MDAwMDBd", "isUnderWay": false, "unannounced": 0, "backfilledAt": 1795345200150}, "scan": null, "copyId": "00000000-0000-4000-8000-000000000001", "lister": null, "lastScan": {"seen": 6, "scanId": "00000000-0000-4000-8000-000000000003", "beganAt": 1795345800350, "endedAt": 1795345800350, "missing": 0, "holdsBack": false, "startedAt": 9}}, "integration": "default", "sequence_limit": 1000, "progress_version": 1}');
INSERT INTO notewire_mirrors SELECT * FROM jsonb_populate_record(NULL::notewire_mirrors, '{"heard_at": null, "position": 2, "progress": {"key": {"kind": "key_id", "keyId": "frozen"}, "poll": {"heardAt": null, "polledAt": null, "beganFrom": null, "watermark": null, "checkpoint": "changes.1.W251bGwsMTc5NTM0NjEwMDAwMCwiMiJd", "isRepeated": false, "isUnderWay": true, "unannounced": 0, "backfilledAt": null}, "scan": null, "copyId": "00000000-0000-4000-8000-000000000008", "lister": null, "lastScan": null}, "integration": "interrupted", "sequence_limit": 1000, "progress_version": 1}');
INSERT INTO notewire_mirrors SELECT * FROM jsonb_populate_record(NULL::notewire_mirrors, '{"heard_at": null, "position": 3, "progress": {"key": {"kind": "key_id", "keyId": "frozen"}, "poll": {"heardAt": null, "polledAt": 1795346100500, "watermark": 1795346100000, "checkpoint": "changes.1.WzE3OTUzNDYxMDAwMDBd", "isUnderWay": false, "unannounced": 0, "backfilledAt": 1795345800400}, "scan": null, "copyId": "00000000-0000-4000-8000-000000000004", "lister": null, "lastScan": {"seen": 0, "scanId": "00000000-0000-4000-8000-000000000007", "beganAt": 1795346100500, "endedAt": 1795346100500, "missing": 3, "holdsBack": true, "startedAt": 5}}, "integration": "emptied", "sequence_limit": 1000, "progress_version": 1}');

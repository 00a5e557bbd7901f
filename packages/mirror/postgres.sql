-- The tables and functions of @notewire/mirror in PostgreSQL. Creates what is missing, and changes nothing else.
DO $migration$
BEGIN
  IF NOT EXISTS (
    SELECT name FROM unnest(ARRAY['notewire_mirror_load_1', 'notewire_mirror_commit_1', 'notewire_mirror_take_1', 'notewire_mirror_sequence_1', 'notewire_mirror_plain_1', 'notewire_mirror_words_1', 'notewire_mirror_query_1', 'notewire_integrations_take_2', 'notewire_integrations_finish_1', 'notewire_integrations_claim_1', 'notewire_integrations_erase_1']) AS name
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
    SELECT name FROM unnest(ARRAY['notewire_mirror_load_1', 'notewire_mirror_commit_1', 'notewire_mirror_take_1', 'notewire_mirror_sequence_1', 'notewire_mirror_plain_1', 'notewire_mirror_words_1', 'notewire_mirror_query_1', 'notewire_integrations_take_2', 'notewire_integrations_finish_1', 'notewire_integrations_claim_1', 'notewire_integrations_erase_1']) AS name
      WHERE NOT EXISTS (SELECT FROM pg_proc WHERE oid = to_regproc(name) AND proconfig::text LIKE '%search_path=%')) THEN
    RETURN;
  END IF;

CREATE TABLE IF NOT EXISTS notewire_mirrors (
  integration      text COLLATE "C" NOT NULL PRIMARY KEY,
  sequence_limit   bigint NOT NULL DEFAULT 0, -- no greater number was ever handed out
  position         bigint NOT NULL DEFAULT 0, -- of the latest change
  progress         jsonb,                     -- of listings
  progress_version bigint NOT NULL DEFAULT 0, -- how often that was written
  heard_at         timestamptz                -- when the last event came
) WITH (fillfactor = 50);

CREATE UNLOGGED TABLE IF NOT EXISTS notewire_mirror_sequences (
  integration    text COLLATE "C" NOT NULL PRIMARY KEY,
  sequence       bigint NOT NULL, -- the latest number that was handed out
  sequence_limit bigint NOT NULL  -- of notewire_mirrors, when this row last reached it
) WITH (fillfactor = 50);

CREATE TABLE IF NOT EXISTS notewire_mirror_notes (
  integration       text COLLATE "C" NOT NULL,
  note_id           text COLLATE "C" NOT NULL,
  version           bigint NOT NULL, -- how often this row was written
  presence          text NOT NULL,   -- 'live' is to be seen; 'hidden' is not, until it is settled; 'gone' is erased
  evidence_says     text,            -- what the last read that settled it found: 'present' or 'absent'
  evidence_start    bigint,          -- sequence number when that read left
  evidence_end      bigint,          -- sequence number when its answer was in hand
  evidence_source   text,            -- 'backfill', 'poll', 'scan' or 'read'
  evidence_at       timestamptz,
  revision          bigint,          -- of the record that is kept
  record_seen_at    timestamptz,     -- when that record was read first
  status            text,
  transcript_status text,
  summary_status    text,
  created_at        text,            -- as the service wrote it
  updated_at        text,            -- as the service wrote it
  settled_revision  bigint,          -- that of transcript and summary; null while they are to be read
  transcript_held   text,            -- 'ready' when there is one
  summary_held      text,            -- 'ready' when there is one
  dirty             bigint,          -- sequence number of the hint after which the note must be read
  hinted_revision   numeric,         -- the highest that an event spoke of
  hidden_by         bigint,          -- sequence number of the event that said that the note is gone
  hidden_at         timestamptz,     -- when that came
  floor_revision    numeric,         -- that a deletion event named: no stale read below it shows the note again
  floor_at          timestamptz,     -- when that event came; null when none did
  floor_deleted_at  timestamptz,     -- when the note was deleted, or later
  contradicted_since timestamptz,    -- since when reads show a lower revision than one before
  held_by_scan      text,            -- the scan whose removals wait to be accepted
  attempts          bigint NOT NULL,
  due_at            timestamptz,     -- when there is something to read
  heard_kind        text,            -- of the last event
  heard_revision    numeric,
  heard_sequence    bigint,          -- sequence number when it came
  heard_at          timestamptz,
  position          bigint NOT NULL, -- of the latest change; 0 before the first
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
  token       bigint NOT NULL, -- how often its lease was taken
  state       jsonb NOT NULL,  -- cursor, lease and backoff
  PRIMARY KEY (integration, name)
) WITH (fillfactor = 50);

CREATE TABLE IF NOT EXISTS notewire_mirror_consumer_notes (
  integration text COLLATE "C" NOT NULL,
  consumer    text COLLATE "C" NOT NULL,
  note_id     text COLLATE "C" NOT NULL,
  since       bigint NOT NULL, -- position of the last change of the note that was applied
  attempts    bigint NOT NULL,
  due_at      timestamptz,     -- when it is tried again
  parked_at   timestamptz,     -- when it failed for the last time
  error_name  text,
  error_code  text,
  PRIMARY KEY (integration, consumer, note_id)
);

CREATE INDEX IF NOT EXISTS notewire_mirror_consumer_notes_due ON notewire_mirror_consumer_notes (integration, consumer, due_at)
  WHERE due_at IS NOT NULL;

-- Statistics would keep samples of what was said, and outlive it.
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
        SELECT coalesce(json_agg(json_build_object('version', notes.version, 'state', json_build_object('note_id', notes.note_id, 'presence', notes.presence, 'evidence_says', notes.evidence_says, 'evidence_start', notes.evidence_start, 'evidence_end', notes.evidence_end, 'evidence_source', notes.evidence_source, 'evidence_at', extract(epoch FROM notes.evidence_at) * 1000, 'revision', notes.revision, 'record_seen_at', extract(epoch FROM notes.record_seen_at) * 1000, 'status', notes.status, 'transcript_status', notes.transcript_status, 'summary_status', notes.summary_status, 'created_at', notes.created_at, 'updated_at', notes.updated_at, 'settled_revision', notes.settled_revision, 'transcript_held', notes.transcript_held, 'summary_held', notes.summary_held, 'dirty', notes.dirty, 'hinted_revision', notes.hinted_revision, 'hidden_by', notes.hidden_by, 'hidden_at', extract(epoch FROM notes.hidden_at) * 1000, 'floor_revision', notes.floor_revision, 'floor_at', extract(epoch FROM notes.floor_at) * 1000, 'floor_deleted_at', extract(epoch FROM notes.floor_deleted_at) * 1000, 'contradicted_since', extract(epoch FROM notes.contradicted_since) * 1000, 'held_by_scan', notes.held_by_scan, 'attempts', notes.attempts, 'due_at', extract(epoch FROM notes.due_at) * 1000, 'heard_kind', notes.heard_kind, 'heard_revision', notes.heard_revision, 'heard_sequence', notes.heard_sequence, 'heard_at', extract(epoch FROM notes.heard_at) * 1000))), '[]')
          FROM notewire_mirror_notes AS notes
          WHERE notes.integration = for_integration AND notes.note_id = ANY (wanted)))
      FROM notewire_mirrors AS mirrors WHERE mirrors.integration = for_integration);
END
$function$;

CREATE OR REPLACE FUNCTION notewire_mirror_commit_1(
  for_integration text, note_writes text, announcements bigint, content_writes text,
  expected_progress bigint, next_progress text, heard_ms float8,
  fence_generation text, fence_token bigint, hint_due_ms float8
) RETURNS text LANGUAGE plpgsql
SET lock_timeout = '10s' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $function$
#variable_conflict use_variable
DECLARE
  writes jsonb := note_writes::jsonb;
  contents jsonb := content_writes::jsonb;
  note_ids text[] := ARRAY(
    SELECT written->>'note_id' COLLATE "C" FROM jsonb_array_elements(writes) AS written ORDER BY 1);
  new_ids text[] := ARRAY(
    SELECT written->>'note_id' FROM jsonb_array_elements(writes) AS written WHERE written->'expected_version' = '0');
  position_before bigint;
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
    SELECT FROM jsonb_to_recordset(writes) AS written (note_id text, expected_version bigint)
      LEFT JOIN notewire_mirror_notes AS notes ON notes.integration = for_integration AND notes.note_id = written.note_id
      WHERE coalesce(notes.version, 0) <> written.expected_version
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
      heard_at = greatest(mirrors.heard_at, to_timestamp(heard_ms / 1000))
      WHERE mirrors.integration = for_integration AND (next_progress IS NULL OR mirrors.progress_version = expected_progress)
      RETURNING mirrors.position - announcements INTO position_before;
    IF NOT FOUND OR EXISTS (
      SELECT FROM notewire_mirror_notes AS notes WHERE notes.integration = for_integration AND notes.note_id = ANY (new_ids)
    ) THEN
      RAISE EXCEPTION SQLSTATE 'NW001';
    END IF;
  END IF;

  INSERT INTO notewire_mirror_notes AS notes (integration, note_id, version, position, visible_since, first_visible, vanished_since, title_at, content_at, transcript_at, summary_at, statuses_at, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, contradicted_since, held_by_scan, attempts, due_at, heard_kind, heard_revision, heard_sequence, heard_at)
    SELECT for_integration, written.note_id, written.expected_version + 1,
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
      written.presence, written.evidence_says, written.evidence_start, written.evidence_end, written.evidence_source, to_timestamp(written.evidence_at / 1000), written.revision, to_timestamp(written.record_seen_at / 1000), written.status, written.transcript_status, written.summary_status, written.created_at, written.updated_at, written.settled_revision, written.transcript_held, written.summary_held, written.dirty, written.hinted_revision, written.hidden_by, to_timestamp(written.hidden_at / 1000), written.floor_revision, to_timestamp(written.floor_at / 1000), to_timestamp(written.floor_deleted_at / 1000), to_timestamp(written.contradicted_since / 1000), written.held_by_scan, written.attempts, to_timestamp(written.due_at / 1000), written.heard_kind, written.heard_revision, written.heard_sequence, to_timestamp(written.heard_at / 1000)
      FROM jsonb_to_recordset(writes) AS written (
        note_id text, expected_version bigint, place bigint, appeared boolean, presence text, evidence_says text, evidence_start bigint, evidence_end bigint, evidence_source text, evidence_at float8, revision bigint, record_seen_at float8, status text, transcript_status text, summary_status text, created_at text, updated_at text, settled_revision bigint, transcript_held text, summary_held text, dirty bigint, hinted_revision numeric, hidden_by bigint, hidden_at float8, floor_revision numeric, floor_at float8, floor_deleted_at float8, contradicted_since float8, held_by_scan text, attempts bigint, due_at float8, heard_kind text, heard_revision numeric, heard_sequence bigint, heard_at float8)
      LEFT JOIN notewire_mirror_notes AS known ON known.integration = for_integration AND known.note_id = written.note_id
    ON CONFLICT (integration, note_id) DO UPDATE SET
      version = excluded.version, position = excluded.position, visible_since = excluded.visible_since, first_visible = excluded.first_visible, vanished_since = excluded.vanished_since, title_at = excluded.title_at, content_at = excluded.content_at, transcript_at = excluded.transcript_at, summary_at = excluded.summary_at, statuses_at = excluded.statuses_at, presence = excluded.presence, evidence_says = excluded.evidence_says, evidence_start = excluded.evidence_start, evidence_end = excluded.evidence_end, evidence_source = excluded.evidence_source, evidence_at = excluded.evidence_at, revision = excluded.revision, record_seen_at = excluded.record_seen_at, status = excluded.status, transcript_status = excluded.transcript_status, summary_status = excluded.summary_status, created_at = excluded.created_at, updated_at = excluded.updated_at, settled_revision = excluded.settled_revision, transcript_held = excluded.transcript_held, summary_held = excluded.summary_held, dirty = excluded.dirty, hinted_revision = excluded.hinted_revision, hidden_by = excluded.hidden_by, hidden_at = excluded.hidden_at, floor_revision = excluded.floor_revision, floor_at = excluded.floor_at, floor_deleted_at = excluded.floor_deleted_at, contradicted_since = excluded.contradicted_since, held_by_scan = excluded.held_by_scan, attempts = excluded.attempts, due_at = excluded.due_at, heard_kind = excluded.heard_kind, heard_revision = excluded.heard_revision, heard_sequence = excluded.heard_sequence, heard_at = excluded.heard_at;

  IF hint_due_ms IS NOT NULL THEN
    UPDATE notewire_integrations AS integrations SET
      hints = integrations.hints + 1,
      rank = CASE WHEN integrations.is_held THEN integrations.rank ELSE 0 END,
      due_at = CASE
        WHEN integrations.is_held THEN integrations.due_at
        WHEN integrations.state = 'parked' THEN least(integrations.due_at, to_timestamp((hint_due_ms + 3600000) / 1000))
        ELSE least(integrations.due_at, greatest(to_timestamp(hint_due_ms / 1000), integrations.paused_until)) END
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

CREATE OR REPLACE FUNCTION notewire_mirror_take_1(for_integration text, now_ms float8, until_ms float8, at_most bigint)
RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $function$
#variable_conflict use_variable
DECLARE
  moment timestamptz := to_timestamp(now_ms / 1000);
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
  UPDATE notewire_mirror_notes AS notes SET due_at = to_timestamp(until_ms / 1000), version = notes.version + 1
    WHERE notes.integration = for_integration AND notes.note_id = ANY (taken);

  RETURN json_build_object(
    'sequence', notewire_mirror_sequence_1(for_integration),
    'notes', (
      SELECT coalesce(json_agg(
          json_build_object('version', notes.version, 'state', json_build_object('note_id', notes.note_id, 'presence', notes.presence, 'evidence_says', notes.evidence_says, 'evidence_start', notes.evidence_start, 'evidence_end', notes.evidence_end, 'evidence_source', notes.evidence_source, 'evidence_at', extract(epoch FROM notes.evidence_at) * 1000, 'revision', notes.revision, 'record_seen_at', extract(epoch FROM notes.record_seen_at) * 1000, 'status', notes.status, 'transcript_status', notes.transcript_status, 'summary_status', notes.summary_status, 'created_at', notes.created_at, 'updated_at', notes.updated_at, 'settled_revision', notes.settled_revision, 'transcript_held', notes.transcript_held, 'summary_held', notes.summary_held, 'dirty', notes.dirty, 'hinted_revision', notes.hinted_revision, 'hidden_by', notes.hidden_by, 'hidden_at', extract(epoch FROM notes.hidden_at) * 1000, 'floor_revision', notes.floor_revision, 'floor_at', extract(epoch FROM notes.floor_at) * 1000, 'floor_deleted_at', extract(epoch FROM notes.floor_deleted_at) * 1000, 'contradicted_since', extract(epoch FROM notes.contradicted_since) * 1000, 'held_by_scan', notes.held_by_scan, 'attempts', notes.attempts, 'due_at', extract(epoch FROM notes.due_at) * 1000, 'heard_kind', notes.heard_kind, 'heard_revision', notes.heard_revision, 'heard_sequence', notes.heard_sequence, 'heard_at', extract(epoch FROM notes.heard_at) * 1000), 'note', content.note)
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
        ORDER BY notes.due_at LIMIT 1)));
END
$function$;

CREATE TABLE IF NOT EXISTS notewire_integrations (
  integration    text COLLATE "C" NOT NULL PRIMARY KEY,
  generation     text NOT NULL,    -- names this copy
  state          text NOT NULL,    -- 'active', 'parked' or 'removing'
  parked_because text,
  due_at         timestamptz,      -- when there is work; while a worker has it, the end of the lease
  rank           integer NOT NULL, -- of the work: 0 hint, 1 poll, 2 backfill, 3 scan
  hints          bigint NOT NULL,  -- how many came
  token          bigint NOT NULL,  -- fencing token: how often a worker took it
  is_held        boolean NOT NULL, -- whether a worker has it
  failures       integer NOT NULL, -- in a row
  paused_until   timestamptz,      -- no request is sent before
  key_print      text UNIQUE,      -- of the API key and its service
  poll_every_ms  float8,
  endpoint       jsonb
) WITH (fillfactor = 50);

CREATE INDEX IF NOT EXISTS notewire_integrations_due ON notewire_integrations (rank, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_contradicted ON notewire_mirror_notes (integration)
  WHERE contradicted_since IS NOT NULL;

CREATE OR REPLACE FUNCTION notewire_integrations_take_2(now_ms float8, until_ms float8, most integer, only_this text)
RETURNS text LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off AS $function$
#variable_conflict use_variable
DECLARE
  taken text;
  result text;
BEGIN
  FOR wanted IN 0..most LOOP
    SELECT integrations.integration INTO taken FROM notewire_integrations AS integrations
      WHERE integrations.rank = wanted AND integrations.due_at <= to_timestamp(now_ms / 1000)
        AND (only_this IS NULL OR integrations.integration = only_this)
      ORDER BY integrations.due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    EXIT WHEN FOUND;
  END LOOP;
  IF taken IS NULL THEN
    RETURN NULL;
  END IF;
  UPDATE notewire_integrations AS integrations
    SET token = integrations.token + 1, is_held = true, due_at = to_timestamp(until_ms / 1000)
    WHERE integrations.integration = taken RETURNING json_build_object(
    'integration', integrations.integration, 'generation', integrations.generation, 'state', integrations.state,
    'parkedBecause', integrations.parked_because, 'dueAt', extract(epoch FROM integrations.due_at) * 1000, 'rank', integrations.rank, 'hints', integrations.hints,
    'token', integrations.token, 'failures', integrations.failures, 'pausedUntil', extract(epoch FROM integrations.paused_until) * 1000,
    'keyPrint', integrations.key_print, 'pollEveryMs', integrations.poll_every_ms, 'endpoint', integrations.endpoint)::text INTO result;
  RETURN (
    SELECT json_build_object('record', result::json, 'copy', json_build_object(
        'sequence', notewire_mirror_sequence_1(taken), 'progress', mirrors.progress,
        'progress_version', coalesce(mirrors.progress_version, 0), 'heard_at', extract(epoch FROM mirrors.heard_at) * 1000,
        'next_due_at', least((SELECT extract(epoch FROM notes.due_at) * 1000 FROM notewire_mirror_notes AS notes
          WHERE notes.integration = taken AND notes.due_at IS NOT NULL AND notes.dirty IS NOT NULL ORDER BY notes.due_at LIMIT 1),
          (SELECT extract(epoch FROM notes.due_at) * 1000 FROM notewire_mirror_notes AS notes
          WHERE notes.integration = taken AND notes.due_at IS NOT NULL AND notes.dirty IS NULL ORDER BY notes.due_at LIMIT 1)),
        'hidden_since', (SELECT extract(epoch FROM notes.hidden_at) * 1000 FROM notewire_mirror_notes AS notes
          WHERE notes.integration = taken AND notes.hidden_at IS NOT NULL AND notes.presence = 'hidden' ORDER BY notes.hidden_at LIMIT 1)))
      FROM (SELECT) AS one LEFT JOIN notewire_mirrors AS mirrors ON mirrors.integration = taken);
END
$function$;

CREATE OR REPLACE FUNCTION notewire_integrations_finish_1(
  for_integration text, fence_generation text, fence_token bigint, next text, hints_seen bigint, heard_due_ms float8
) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '10s' AS $function$
#variable_conflict use_variable
DECLARE
  work jsonb := next::jsonb;
BEGIN
  UPDATE notewire_integrations AS integrations SET
    is_held = false,
    state = work->>'state',
    parked_because = work->>'parkedBecause',
    failures = (work->>'failures')::integer,
    paused_until = to_timestamp((work->>'pausedUntil')::float8 / 1000),
    poll_every_ms = (work->>'pollEveryMs')::float8,
    endpoint = nullif(work->'endpoint', 'null'),
    rank = CASE WHEN integrations.hints = hints_seen THEN (work->>'rank')::integer ELSE 0 END,
    due_at = to_timestamp(CASE WHEN integrations.hints = hints_seen THEN (work->>'dueAt')::float8 ELSE heard_due_ms END / 1000)
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
ALTER FUNCTION notewire_mirror_commit_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_mirror_take_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_mirror_sequence_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_mirror_plain_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_mirror_words_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_mirror_query_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_integrations_take_2 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_integrations_finish_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_integrations_claim_1 SET search_path FROM CURRENT;
ALTER FUNCTION notewire_integrations_erase_1 SET search_path FROM CURRENT;
END
$migration$;

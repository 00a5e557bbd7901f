CREATE TABLE IF NOT EXISTS notewire_mirrors (
      integration TEXT NOT NULL PRIMARY KEY,
      sequence INTEGER NOT NULL,         -- the latest sequence number
      position INTEGER NOT NULL,         -- feed position of the latest change
      progress TEXT,                     -- progress of the listings, JSON
      progress_version INTEGER NOT NULL, -- how often the progress was written
      heard_at INTEGER,                  -- when the last event arrived
      live INTEGER NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0, gone INTEGER NOT NULL DEFAULT 0, dirty INTEGER NOT NULL DEFAULT 0, unsettled INTEGER NOT NULL DEFAULT 0, contradicted INTEGER NOT NULL DEFAULT 0 -- note counts, maintained by triggers
    ) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notewire_mirror_notes (
      row_id INTEGER PRIMARY KEY,
      integration TEXT NOT NULL,
      note_id TEXT NOT NULL,
      version INTEGER NOT NULL,        -- how often this row was written
      presence TEXT NOT NULL,          -- 'live': shown; 'hidden': not shown, its removal is not confirmed; 'gone': erased
      evidence_says TEXT,              -- result of the latest read that proved it: 'present' or 'absent'
      evidence_start INTEGER NOT NULL, -- sequence number when the request of that read was sent; 0 before the first
      evidence_end INTEGER,            -- sequence number when its response was received
      evidence_source TEXT,            -- 'backfill', 'poll', 'scan' or 'read'
      evidence_at INTEGER,
      revision INTEGER,                -- revision of the stored record
      record_seen_at INTEGER,          -- when that record was first read
      status TEXT,
      transcript_status TEXT,
      summary_status TEXT,
      created_at TEXT,                 -- as the service wrote it
      updated_at TEXT,                 -- as the service wrote it
      settled_revision INTEGER,        -- revision that transcript and summary belong to; NULL if they must be read
      transcript_held TEXT,            -- 'ready' when there is one
      summary_held TEXT,               -- 'ready' when there is one
      dirty INTEGER,                   -- sequence number of the hint: the note must be read after it
      hinted_revision INTEGER,         -- the highest revision that an event named
      hidden_by INTEGER,               -- sequence number of the event that announced the deletion
      hidden_at INTEGER,               -- when that event arrived
      floor_revision INTEGER,          -- revision of the deletion event; a stale record with a lower revision does not show the note again
      floor_at INTEGER,                -- when the deletion event arrived; NULL without one
      floor_deleted_at INTEGER,        -- occurred_at of the deletion event or its arrival, whichever is later
      floor_unrevised_at INTEGER,      -- when the latest deletion event without a revision arrived; NULL without one
      contradicted_since INTEGER,      -- when reads began to return a lower revision than before
      held_by_scan TEXT,               -- the scan that holds the removal back until it is accepted
      attempts INTEGER NOT NULL,       -- answered in a row without settling the note
      failures INTEGER NOT NULL,       -- failed requests in a row
      due_at INTEGER,                  -- when the note or its content must be read
      heard_kind TEXT,                 -- kind of the last event
      heard_revision INTEGER,
      heard_sequence INTEGER,          -- sequence number when it arrived
      heard_at INTEGER,
      position INTEGER,                -- feed position of the latest change
      visible_since INTEGER NOT NULL DEFAULT 0, -- position at which the note appeared last
      first_visible INTEGER,           -- position at which the note appeared first
      vanished_since INTEGER NOT NULL DEFAULT 0, -- position at which the note vanished last
      statuses_at INTEGER NOT NULL DEFAULT 0 -- position at which one of its statuses changed last
    );
CREATE UNIQUE INDEX IF NOT EXISTS notewire_mirror_notes_by_id ON notewire_mirror_notes (integration, note_id);
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_by_evidence ON notewire_mirror_notes (integration, evidence_start)
    WHERE presence = 'live';
CREATE UNIQUE INDEX IF NOT EXISTS notewire_mirror_notes_by_position ON notewire_mirror_notes (integration, position)
    WHERE position IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_due ON notewire_mirror_notes (integration, dirty IS NULL, due_at)
    WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_hidden ON notewire_mirror_notes (integration, hidden_at)
    WHERE hidden_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_held ON notewire_mirror_notes (integration, held_by_scan, note_id)
    WHERE held_by_scan IS NOT NULL;
CREATE TRIGGER IF NOT EXISTS notewire_mirror_notes_inserted AFTER INSERT ON notewire_mirror_notes BEGIN
      UPDATE notewire_mirrors SET live = live + (new.presence = 'live'), hidden = hidden + (new.presence = 'hidden'), gone = gone + (new.presence = 'gone'), dirty = dirty + (new.dirty IS NOT NULL), unsettled = unsettled + (new.presence = 'live' AND new.dirty IS NULL AND new.settled_revision IS NULL), contradicted = contradicted + (new.contradicted_since IS NOT NULL) WHERE integration = new.integration;
    END;
CREATE TRIGGER IF NOT EXISTS notewire_mirror_notes_updated
    AFTER UPDATE OF presence, dirty, settled_revision, contradicted_since ON notewire_mirror_notes
    WHEN old.presence <> new.presence OR (old.dirty IS NULL) <> (new.dirty IS NULL)
      OR (old.settled_revision IS NULL) <> (new.settled_revision IS NULL)
      OR (old.contradicted_since IS NULL) <> (new.contradicted_since IS NULL)
    BEGIN
      UPDATE notewire_mirrors SET live = live - (old.presence = 'live'), hidden = hidden - (old.presence = 'hidden'), gone = gone - (old.presence = 'gone'), dirty = dirty - (old.dirty IS NOT NULL), unsettled = unsettled - (old.presence = 'live' AND old.dirty IS NULL AND old.settled_revision IS NULL), contradicted = contradicted - (old.contradicted_since IS NOT NULL) WHERE integration = new.integration;
      UPDATE notewire_mirrors SET live = live + (new.presence = 'live'), hidden = hidden + (new.presence = 'hidden'), gone = gone + (new.presence = 'gone'), dirty = dirty + (new.dirty IS NOT NULL), unsettled = unsettled + (new.presence = 'live' AND new.dirty IS NULL AND new.settled_revision IS NULL), contradicted = contradicted + (new.contradicted_since IS NOT NULL) WHERE integration = new.integration;
    END;
CREATE TABLE IF NOT EXISTS notewire_mirror_content (
      row_id INTEGER PRIMARY KEY, -- of the note in notewire_mirror_notes
      title TEXT,
      content TEXT,
      summary TEXT,               -- Markdown
      transcript TEXT,
      segments TEXT,              -- of the transcript: JSON
      record TEXT,                -- the rest of the note: JSON
      summary_record TEXT,        -- the rest of the summary: JSON
      transcript_record TEXT,     -- the rest of the transcript: JSON
      title_at INTEGER NOT NULL DEFAULT 0, -- position at which the title changed last
      content_at INTEGER NOT NULL DEFAULT 0,
      summary_at INTEGER NOT NULL DEFAULT 0,
      transcript_at INTEGER NOT NULL DEFAULT 0,
      is_indexed INTEGER NOT NULL -- whether a search finds it: after transcript and summary were read
    );
CREATE INDEX IF NOT EXISTS notewire_mirror_content_waiting ON notewire_mirror_content (row_id)
    WHERE is_indexed = 0;
CREATE VIEW IF NOT EXISTS notewire_mirror_indexed AS
    SELECT row_id, title, content, summary, transcript FROM notewire_mirror_content WHERE is_indexed = 1;
CREATE VIRTUAL TABLE IF NOT EXISTS notewire_mirror_search USING fts5 (
      title, content, summary, transcript,
      content = 'notewire_mirror_indexed', content_rowid = 'row_id', tokenize = 'unicode61 remove_diacritics 0'
    );
INSERT INTO notewire_mirror_search (notewire_mirror_search, rank) VALUES ('secure-delete', 1);
INSERT INTO notewire_mirror_search (notewire_mirror_search, rank) VALUES ('rank', 'bm25(8, 2, 4, 1)');
CREATE TRIGGER IF NOT EXISTS notewire_mirror_content_inserted AFTER INSERT ON notewire_mirror_content
    WHEN new.is_indexed BEGIN
      
  INSERT INTO notewire_mirror_search (rowid, title, content, summary, transcript)
  VALUES (new.row_id, new.title, new.content, new.summary, new.transcript);
    END;
CREATE TRIGGER IF NOT EXISTS notewire_mirror_content_deleted AFTER DELETE ON notewire_mirror_content
    WHEN old.is_indexed BEGIN
      
  INSERT INTO notewire_mirror_search (notewire_mirror_search, rowid, title, content, summary, transcript)
  VALUES ('delete', old.row_id, old.title, old.content, old.summary, old.transcript);
  INSERT INTO notewire_mirror_search (notewire_mirror_search) VALUES ('flush');
    END;
CREATE TRIGGER IF NOT EXISTS notewire_mirror_content_completed
    AFTER UPDATE OF is_indexed ON notewire_mirror_content
    WHEN new.is_indexed AND NOT old.is_indexed BEGIN
      
  INSERT INTO notewire_mirror_search (rowid, title, content, summary, transcript)
  VALUES (new.row_id, new.title, new.content, new.summary, new.transcript);
    END;
CREATE TRIGGER IF NOT EXISTS notewire_mirror_content_updated
    AFTER UPDATE OF title, content, summary, transcript ON notewire_mirror_content
    WHEN old.is_indexed AND (
      old.title IS NOT new.title OR old.content IS NOT new.content
      OR old.summary IS NOT new.summary OR old.transcript IS NOT new.transcript
    ) BEGIN
      
  INSERT INTO notewire_mirror_search (notewire_mirror_search, rowid, title, content, summary, transcript)
  VALUES ('delete', old.row_id, old.title, old.content, old.summary, old.transcript);
  INSERT INTO notewire_mirror_search (notewire_mirror_search) VALUES ('flush');
      
  INSERT INTO notewire_mirror_search (rowid, title, content, summary, transcript)
  VALUES (new.row_id, new.title, new.content, new.summary, new.transcript);
    END;
CREATE VIEW IF NOT EXISTS notewire_live_notes AS
    SELECT
      integration, note_id, row_id, revision, status, title, content, summary, transcript, segments, record,
      transcript_status, summary_status, created_at, updated_at,
      settled_revision IS revision AND dirty IS NULL AS is_settled
    FROM notewire_mirror_notes LEFT JOIN notewire_mirror_content USING (row_id)
    WHERE presence = 'live';
CREATE TABLE IF NOT EXISTS notewire_mirror_consumers (
      integration TEXT NOT NULL,
      name TEXT NOT NULL,
      version INTEGER NOT NULL,   -- how often this row was written
      token INTEGER NOT NULL,     -- fencing token: increments each time the lease is taken
      state TEXT NOT NULL,        -- cursor, lease and backoff: JSON
      PRIMARY KEY (integration, name)
    ) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notewire_mirror_consumer_notes (
      integration TEXT NOT NULL,
      consumer TEXT NOT NULL,
      note_id TEXT NOT NULL,
      since INTEGER NOT NULL,     -- position of the last applied change of the note
      attempts INTEGER NOT NULL,
      due_at INTEGER,             -- when it is retried
      parked_at INTEGER,          -- when the note was parked, after its last attempt failed; NULL if not parked
      error_name TEXT,
      error_code TEXT,
      PRIMARY KEY (integration, consumer, note_id)
    ) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS notewire_mirror_consumer_notes_due
    ON notewire_mirror_consumer_notes (integration, consumer, due_at) WHERE due_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS notewire_integrations (
      integration TEXT NOT NULL PRIMARY KEY,
      generation TEXT NOT NULL,  -- id of this copy
      state TEXT NOT NULL,       -- 'active', 'parked' or 'removing'
      parked_because TEXT,
      due_at INTEGER,            -- when the next work is due; while a worker has it, the end of its lease
      rank INTEGER NOT NULL,     -- of the work: 0 hint, 1 poll, 2 backfill, 3 scan
      hints INTEGER NOT NULL,    -- number of hints so far
      token INTEGER NOT NULL,    -- fencing token: increments each time a worker takes the integration
      is_held INTEGER NOT NULL,  -- whether a worker has it
      failures INTEGER NOT NULL, -- consecutive
      paused_until INTEGER,      -- no request is sent before this time
      key_print TEXT UNIQUE,     -- identifies the API key and its service
      poll_every_ms INTEGER,
      endpoint TEXT              -- JSON
    ) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS notewire_integrations_due ON notewire_integrations (rank, due_at)
    WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_integrations_held ON notewire_integrations (due_at) WHERE is_held = 1;
CREATE TABLE IF NOT EXISTS notewire_integration_fences (
      of TEXT CONSTRAINT notewire_fenced CHECK (0)
    );
CREATE TABLE IF NOT EXISTS notewire_mirror_conflicts (
      of TEXT CONSTRAINT notewire_written_meanwhile CHECK (0)
    );
CREATE TABLE IF NOT EXISTS notewire_mirror_version (version INTEGER NOT NULL);
INSERT INTO notewire_mirror_version (version)
    SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM notewire_mirror_version);
DELETE FROM notewire_mirror_content;
INSERT INTO notewire_mirror_content (row_id, title, content, summary, transcript, segments, record, summary_record, transcript_record, title_at, content_at, summary_at, transcript_at, is_indexed) VALUES (1, 'Weekly ada', 'Agenda of ada: “Ünïcode” 0000 and ''quotes''', '## Decisions

* ada was agreed', 'Good morning, this is ada', '[{"speaker":"Ada","start_ms":0,"end_ms":900,"text":"Good morning, this is ada"}]', '{"note_id":"note_ada","revision":2,"status":"ended","transcript_status":"ready","summary_status":"ready","created_at":"2026-11-20T09:00:00Z","updated_at":"2026-11-22T10:30:00Z","owner":{"type":"channel","channel_id":"channel_1"}}', '{"note_id":"note_ada","revision":2,"status":"ready"}', '{"note_id":"note_ada","revision":2}', 1, 1, 1, 1, 1);
INSERT INTO notewire_mirror_content (row_id, title, content, summary, transcript, segments, record, summary_record, transcript_record, title_at, content_at, summary_at, transcript_at, is_indexed) VALUES (2, 'Weekly budget', 'Agenda of budget: “Ünïcode” 0000 and ''quotes''', '## Decisions

* budget was agreed', 'Good morning, this is budget', '[{"speaker":"Ada","start_ms":0,"end_ms":900,"text":"Good morning, this is budget"}]', '{"note_id":"note_budget","revision":2,"status":"ended","transcript_status":"ready","summary_status":"ready","created_at":"2026-11-20T09:00:00Z","updated_at":"2026-11-22T10:30:00Z","owner":{"type":"channel","channel_id":"channel_1"}}', '{"note_id":"note_budget","revision":2,"status":"ready"}', '{"note_id":"note_budget","revision":2}', 2, 2, 2, 2, 1);
INSERT INTO notewire_mirror_content (row_id, title, content, summary, transcript, segments, record, summary_record, transcript_record, title_at, content_at, summary_at, transcript_at, is_indexed) VALUES (3, 'Weekly recording', 'Agenda of recording: “Ünïcode” 0000 and ''quotes''', NULL, NULL, NULL, '{"note_id":"note_recording","revision":2,"status":"pending","transcript_status":"pending","summary_status":"pending","created_at":"2026-11-20T09:00:00Z","updated_at":"2026-11-22T10:30:00Z","owner":{"type":"channel","channel_id":"channel_1"}}', NULL, NULL, 3, 3, 0, 0, 1);
INSERT INTO notewire_mirror_content (row_id, title, content, summary, transcript, segments, record, summary_record, transcript_record, title_at, content_at, summary_at, transcript_at, is_indexed) VALUES (4, 'Weekly renamed', 'Agenda of renamed: “Ünïcode” 0000 and ''quotes''', '## Decisions

* renamed was agreed', 'Good morning, this is renamed', '[{"speaker":"Ada","start_ms":0,"end_ms":900,"text":"Good morning, this is renamed"}]', '{"note_id":"note_renamed","revision":2,"status":"ended","transcript_status":"ready","summary_status":"ready","created_at":"2026-11-20T09:00:00Z","updated_at":"2026-11-22T10:30:00Z","owner":{"type":"channel","channel_id":"channel_1"}}', '{"note_id":"note_renamed","revision":2,"status":"ready"}', '{"note_id":"note_renamed","revision":2}', 4, 4, 4, 4, 1);
INSERT INTO notewire_mirror_content (row_id, title, content, summary, transcript, segments, record, summary_record, transcript_record, title_at, content_at, summary_at, transcript_at, is_indexed) VALUES (5, 'Weekly restored', 'Agenda of restored: “Ünïcode” 0000 and ''quotes''', '## Decisions

* restored was agreed', 'Good morning, this is restored', '[{"speaker":"Ada","start_ms":0,"end_ms":900,"text":"Good morning, this is restored"}]', '{"note_id":"note_restored","revision":2,"status":"ended","transcript_status":"ready","summary_status":"ready","created_at":"2026-11-20T09:00:00Z","updated_at":"2026-11-22T10:30:00Z","owner":{"type":"channel","channel_id":"channel_1"}}', '{"note_id":"note_restored","revision":2,"status":"ready"}', '{"note_id":"note_restored","revision":2}', 5, 5, 5, 5, 1);
INSERT INTO notewire_mirror_content (row_id, title, content, summary, transcript, segments, record, summary_record, transcript_record, title_at, content_at, summary_at, transcript_at, is_indexed) VALUES (8, 'Weekly leaving', 'Agenda of leaving: “Ünïcode” 0000 and ''quotes''', '## Decisions

* leaving was agreed', 'Good morning, this is leaving', '[{"speaker":"Ada","start_ms":0,"end_ms":900,"text":"Good morning, this is leaving"}]', '{"note_id":"note_leaving","revision":2,"status":"ended","transcript_status":"ready","summary_status":"ready","created_at":"2026-11-20T09:00:00Z","updated_at":"2026-11-22T10:30:00Z","owner":{"type":"channel","channel_id":"channel_1"}}', '{"note_id":"note_leaving","revision":2,"status":"ready"}', '{"note_id":"note_leaving","revision":2}', 7, 7, 7, 7, 1);
INSERT INTO notewire_mirror_content (row_id, title, content, summary, transcript, segments, record, summary_record, transcript_record, title_at, content_at, summary_at, transcript_at, is_indexed) VALUES (9, 'Weekly one', 'Agenda of one: “Ünïcode” 0000 and ''quotes''', '## Decisions

* one was agreed', 'Good morning, this is one', '[{"speaker":"Ada","start_ms":0,"end_ms":900,"text":"Good morning, this is one"}]', '{"note_id":"note_one","revision":2,"status":"ended","transcript_status":"ready","summary_status":"ready","created_at":"2026-11-20T09:00:00Z","updated_at":"2026-11-22T10:30:00Z","owner":{"type":"channel","channel_id":"channel_1"}}', '{"note_id":"note_one","revision":2,"status":"ready"}', '{"note_id":"note_one","revision":2}', 1, 1, 1, 1, 1);
INSERT INTO notewire_mirror_content (row_id, title, content, summary, transcript, segments, record, summary_record, transcript_record, title_at, content_at, summary_at, transcript_at, is_indexed) VALUES (10, 'Weekly two', 'Agenda of two: “Ünïcode” 0000 and ''quotes''', '## Decisions

* two was agreed', 'Good morning, this is two', '[{"speaker":"Ada","start_ms":0,"end_ms":900,"text":"Good morning, this is two"}]', '{"note_id":"note_two","revision":2,"status":"ended","transcript_status":"ready","summary_status":"ready","created_at":"2026-11-20T09:00:00Z","updated_at":"2026-11-22T10:30:00Z","owner":{"type":"channel","channel_id":"channel_1"}}', '{"note_id":"note_two","revision":2,"status":"ready"}', '{"note_id":"note_two","revision":2}', 2, 2, 2, 2, 1);
INSERT INTO notewire_mirror_content (row_id, title, content, summary, transcript, segments, record, summary_record, transcript_record, title_at, content_at, summary_at, transcript_at, is_indexed) VALUES (11, 'Weekly three', 'Agenda of three: “Ünïcode” 0000 and ''quotes''', '## Decisions

* three was agreed', 'Good morning, this is three', '[{"speaker":"Ada","start_ms":0,"end_ms":900,"text":"Good morning, this is three"}]', '{"note_id":"note_three","revision":2,"status":"ended","transcript_status":"ready","summary_status":"ready","created_at":"2026-11-20T09:00:00Z","updated_at":"2026-11-22T10:30:00Z","owner":{"type":"channel","channel_id":"channel_1"}}', '{"note_id":"note_three","revision":2,"status":"ready"}', '{"note_id":"note_three","revision":2}', 3, 3, 3, 3, 1);
INSERT INTO notewire_mirror_content (row_id, title, content, summary, transcript, segments, record, summary_record, transcript_record, title_at, content_at, summary_at, transcript_at, is_indexed) VALUES (12, 'Weekly 1', 'Agenda of 1: “Ünïcode” 0000 and ''quotes''', NULL, NULL, NULL, '{"note_id":"note_1","revision":2,"status":"ended","transcript_status":"ready","summary_status":"ready","created_at":"2026-11-20T09:00:00Z","updated_at":"2026-11-22T10:30:00Z","owner":{"type":"channel","channel_id":"channel_1"}}', NULL, NULL, 1, 1, 0, 0, 1);
INSERT INTO notewire_mirror_content (row_id, title, content, summary, transcript, segments, record, summary_record, transcript_record, title_at, content_at, summary_at, transcript_at, is_indexed) VALUES (13, 'Weekly 2', 'Agenda of 2: “Ünïcode” 0000 and ''quotes''', NULL, NULL, NULL, '{"note_id":"note_2","revision":2,"status":"ended","transcript_status":"ready","summary_status":"ready","created_at":"2026-11-20T09:00:00Z","updated_at":"2026-11-22T10:30:00Z","owner":{"type":"channel","channel_id":"channel_1"}}', NULL, NULL, 2, 2, 0, 0, 1);
DELETE FROM notewire_mirror_notes;
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (1, 'default', 'note_ada', 1, 'live', 'present', 9, 10, 'scan', 1795345800350, 2, 1795345200000, 'ended', 'ready', 'ready', '2026-11-20T09:00:00Z', '2026-11-22T10:30:00Z', 2, 'ready', 'ready', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 1, 1, 1, 0, 1);
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (2, 'default', 'note_budget', 1, 'live', 'present', 9, 10, 'scan', 1795345800350, 2, 1795345200000, 'ended', 'ready', 'ready', '2026-11-20T09:00:00Z', '2026-11-22T10:30:00Z', 2, 'ready', 'ready', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 2, 2, 2, 0, 2);
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (3, 'default', 'note_recording', 1, 'live', 'present', 10, 11, 'scan', 1795345800350, 2, 1795345200000, 'pending', 'pending', 'pending', '2026-11-20T09:00:00Z', '2026-11-22T10:30:00Z', 2, 'not_ready', 'not_ready', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 3, 3, 3, 0, 3);
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (4, 'default', 'note_renamed', 1, 'live', 'present', 11, 12, 'scan', 1795345800350, 2, 1795345200050, 'ended', 'ready', 'ready', '2026-11-20T09:00:00Z', '2026-11-22T10:30:00Z', 2, 'ready', 'ready', 17, 3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 1795345800350, 'note.updated', 3, 17, 1795345800350, 4, 4, 4, 0, 4);
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (5, 'default', 'note_restored', 1, 'live', 'present', 12, 15, 'read', 1795345800350, 2, 1795345200150, 'ended', 'ready', 'ready', '2026-11-20T09:00:00Z', '2026-11-22T10:30:00Z', 2, 'ready', 'ready', 12, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1795345800350, NULL, 1, 0, 1795345802350, NULL, NULL, NULL, NULL, 5, 5, 5, 0, 5);
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (6, 'default', 'note_new', 1, 'hidden', NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 18, 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 1795345800350, 'note.ended', 2, 18, 1795345800350, NULL, 0, NULL, 0, 0);
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (7, 'default', 'note_gone', 1, 'gone', 'absent', 7, 8, 'read', 1795345500350, 2, 1795345200000, 'ended', 'ready', 'ready', '2026-11-20T09:00:00Z', '2026-11-22T10:30:00Z', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 3, 1795345500350, 1795345500350, NULL, NULL, NULL, 0, 0, NULL, 'note.deleted', 3, 7, 1795345500350, 6, 0, NULL, 0, 6);
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (8, 'default', 'note_leaving', 1, 'hidden', 'present', 10, 11, 'scan', 1795345800350, 2, 1795345200050, 'ended', 'ready', 'ready', '2026-11-20T09:00:00Z', '2026-11-22T10:30:00Z', 2, 'ready', 'ready', 16, NULL, 16, 1795345800350, 3, 1795345800350, 1795345800350, NULL, NULL, NULL, 0, 0, 1795345800350, 'note.deleted', 3, 16, 1795345800350, 7, 0, NULL, 0, 7);
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (9, 'emptied', 'note_one', 1, 'hidden', 'absent', 7, 8, 'read', 1795346100500, 2, 1795345800350, 'ended', 'ready', 'ready', '2026-11-20T09:00:00Z', '2026-11-22T10:30:00Z', NULL, 'ready', 'ready', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '00000000-0000-4000-8000-000000000007', 0, 0, NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, 0, 1);
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (10, 'emptied', 'note_two', 1, 'hidden', 'absent', 7, 10, 'read', 1795346100500, 2, 1795345800350, 'ended', 'ready', 'ready', '2026-11-20T09:00:00Z', '2026-11-22T10:30:00Z', NULL, 'ready', 'ready', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '00000000-0000-4000-8000-000000000007', 0, 0, NULL, NULL, NULL, NULL, NULL, 2, 0, NULL, 0, 2);
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (11, 'emptied', 'note_three', 1, 'hidden', 'absent', 7, 9, 'read', 1795346100500, 2, 1795345800350, 'ended', 'ready', 'ready', '2026-11-20T09:00:00Z', '2026-11-22T10:30:00Z', NULL, 'ready', 'ready', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '00000000-0000-4000-8000-000000000007', 0, 0, NULL, NULL, NULL, NULL, NULL, 3, 0, NULL, 0, 3);
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (12, 'interrupted', 'note_1', 1, 'live', 'present', 2, 3, 'backfill', 1795346100500, 2, 1795346100500, 'ended', 'ready', 'ready', '2026-11-20T09:00:00Z', '2026-11-22T10:30:00Z', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 1795346100500, NULL, NULL, NULL, NULL, 1, 1, 1, 0, 1);
INSERT INTO notewire_mirror_notes (row_id, integration, note_id, version, presence, evidence_says, evidence_start, evidence_end, evidence_source, evidence_at, revision, record_seen_at, status, transcript_status, summary_status, created_at, updated_at, settled_revision, transcript_held, summary_held, dirty, hinted_revision, hidden_by, hidden_at, floor_revision, floor_at, floor_deleted_at, floor_unrevised_at, contradicted_since, held_by_scan, attempts, failures, due_at, heard_kind, heard_revision, heard_sequence, heard_at, position, visible_since, first_visible, vanished_since, statuses_at) VALUES (13, 'interrupted', 'note_2', 1, 'live', 'present', 2, 3, 'backfill', 1795346100500, 2, 1795346100500, 'ended', 'ready', 'ready', '2026-11-20T09:00:00Z', '2026-11-22T10:30:00Z', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 1795346100500, NULL, NULL, NULL, NULL, 2, 2, 2, 0, 2);
DELETE FROM notewire_mirror_version;
INSERT INTO notewire_mirror_version (version) VALUES (1);
DELETE FROM notewire_mirrors;
INSERT INTO notewire_mirrors (integration, sequence, position, progress, progress_version, heard_at, live, hidden, gone, dirty, unsettled, contradicted) VALUES ('default', 19, 7, '{"copyId":"00000000-0000-4000-8000-000000000001","key":{"kind":"key_id","keyId":"frozen"},"poll":{"checkpoint":"changes.1.WzE3OTUzNDU4MDAwMDBd","isUnderWay":false,"watermark":1795345800000,"backfilledAt":1795345200150,"polledAt":1795345800350,"unannounced":0,"heardAt":1795345500350},"scan":null,"lastScan":{"scanId":"00000000-0000-4000-8000-000000000003","startedAt":9,"beganAt":1795345800350,"endedAt":1795345800350,"seen":6,"missing":0,"holdsBack":false},"lister":null}', 1, 1795345800350, 5, 2, 1, 4, 0, 1);
INSERT INTO notewire_mirrors (integration, sequence, position, progress, progress_version, heard_at, live, hidden, gone, dirty, unsettled, contradicted) VALUES ('emptied', 13, 3, '{"copyId":"00000000-0000-4000-8000-000000000004","key":{"kind":"key_id","keyId":"frozen"},"poll":{"checkpoint":"changes.1.WzE3OTUzNDYxMDAwMDBd","isUnderWay":false,"watermark":1795346100000,"backfilledAt":1795345800400,"polledAt":1795346100500,"unannounced":0,"heardAt":null},"scan":null,"lastScan":{"scanId":"00000000-0000-4000-8000-000000000007","startedAt":5,"beganAt":1795346100500,"endedAt":1795346100500,"seen":0,"missing":3,"holdsBack":true},"lister":null}', 1, NULL, 0, 3, 0, 0, 0, 0);
INSERT INTO notewire_mirrors (integration, sequence, position, progress, progress_version, heard_at, live, hidden, gone, dirty, unsettled, contradicted) VALUES ('interrupted', 4, 2, '{"copyId":"00000000-0000-4000-8000-000000000008","key":{"kind":"key_id","keyId":"frozen"},"poll":{"checkpoint":"changes.1.W251bGwsMTc5NTM0NjEwMDAwMCwiMiJd","isUnderWay":true,"watermark":null,"backfilledAt":null,"polledAt":null,"unannounced":0,"heardAt":null,"beganFrom":null,"isRepeated":false},"scan":null,"lastScan":null,"lister":null}', 1, NULL, 2, 0, 0, 0, 2, 0);

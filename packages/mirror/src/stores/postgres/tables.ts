/**
 * The tables that `migrate` creates. Users find them documented at `postgresMirror`.
 *
 * During a rolling upgrade, several versions of the store share the tables: a later version may only add columns that older functions can
 * omit.
 */
// Ids are compared byte by byte (COLLATE "C"), which is faster than a language's collation, and does not depend on its version. Half of each
// page of notes is left free: a scan updates all rows of a page in one transaction, and the new row versions fit into the free half, so that
// the indexes, none of which contains evidence, are not updated (heap-only tuples).
export const TABLES = `
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
) WITH (${vacuumAtOnce('')}, ${vacuumAtOnce('toast.')});

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
`

// One dead row is enough for the next autovacuum, which also removes its words from the index. Erased content is therefore removed soon, even if
// few rows change.
function vacuumAtOnce(table: '' | 'toast.'): string {
  const settings = [
    'autovacuum_vacuum_threshold = 0',
    'autovacuum_vacuum_scale_factor = 0',
    'vacuum_index_cleanup = on',
  ]
  return settings.map((setting) => `${table}${setting}`).join(', ')
}

/** The notes that a mirror shows, for the user's own SQL. SQLite has a view with the same name and columns. */
// No column is cast, so that no data of the service can make a query fail.
export const LIVE_NOTES_VIEW = `
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
`

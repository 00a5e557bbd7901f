/** The version of these tables. A release increments it if earlier releases cannot use the new tables. */
export const SCHEMA_VERSION = 1

/**
 * The tables that `migrate` creates. Users find them documented at `postgresMirror`.
 *
 * During a rolling upgrade, several versions of the store share the tables: a later version may only add columns that older functions can
 * omit.
 */
// Ids are compared byte by byte (COLLATE "C"), which is faster than a language's collation, and does not depend on its version. Half of each
// page of notes is left free: a full listing updates all rows of a page in one transaction, and the new row versions fit into the free half, so that
// the indexes, none of which contains evidence, are not updated (heap-only tuples).
export const TABLES = `
CREATE TABLE IF NOT EXISTS notewire_mirrors (
  integration      text COLLATE "C" NOT NULL PRIMARY KEY,
  sequence_limit   bigint NOT NULL DEFAULT 0, -- no greater number was ever returned
  position         bigint NOT NULL DEFAULT 0, -- feed position of the latest change
  progress         jsonb,                     -- progress of the listings
  progress_version bigint NOT NULL DEFAULT 0, -- how often version 0.1.0 wrote the progress; later versions do not
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
  due_at            timestamptz,     -- when the note or its content must be read
  state             jsonb NOT NULL,  -- everything else that is known of the note and its reads; times are milliseconds since the Unix epoch
  presence          text NOT NULL GENERATED ALWAYS AS (state->>'presence') STORED, -- 'live': shown; 'hidden': its removal is not confirmed; 'gone'
  evidence_start    bigint GENERATED ALWAYS AS (coalesce((state->'evidence'->>'start')::bigint, 0)) STORED, -- sequence number of its latest read
  revision          bigint GENERATED ALWAYS AS ((state->>'revision')::bigint) STORED,
  settled_revision  bigint GENERATED ALWAYS AS ((state->>'settledRevision')::bigint) STORED, -- that transcript and summary belong to
  dirty             bigint GENERATED ALWAYS AS ((state->>'dirty')::bigint) STORED,   -- the note must be read after this sequence number
  hidden_at         float8 GENERATED ALWAYS AS ((state->>'hiddenAt')::float8) STORED, -- when the event that announced the deletion arrived
  contradicted_since float8 GENERATED ALWAYS AS ((state->>'contradictedSince')::float8) STORED, -- reads return a lower revision than before
  held_by_scan      text GENERATED ALWAYS AS (state->>'heldByScan') STORED, -- the scan that holds the removal back until it is accepted
  digests           jsonb,           -- of each part of the content, to find out which of them a write changes
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
  note        jsonb NOT NULL, -- the last applied change of the note, and its failed attempts; times are milliseconds since the Unix epoch
  due_at      float8 GENERATED ALWAYS AS ((note->>'dueAt')::float8) STORED, -- when it is retried
  PRIMARY KEY (integration, consumer, note_id)
);

CREATE INDEX IF NOT EXISTS notewire_mirror_consumer_notes_due ON notewire_mirror_consumer_notes (integration, consumer, due_at)
  WHERE due_at IS NOT NULL;

-- One row: the version of these tables, so that a later release can change them, or refuse them.
CREATE TABLE IF NOT EXISTS notewire_mirror_version (version bigint NOT NULL);
INSERT INTO notewire_mirror_version (version)
  SELECT ${SCHEMA_VERSION} WHERE NOT EXISTS (SELECT FROM notewire_mirror_version);

-- Statistics would contain samples of the content, even after it is erased.
IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'notewire_mirror_content'::regclass
  AND attname IN ('note', 'transcript', 'summary', 'search') AND attstattarget IS DISTINCT FROM 0) THEN
  ALTER TABLE notewire_mirror_content
    ALTER COLUMN note SET STATISTICS 0,
    ALTER COLUMN transcript SET STATISTICS 0,
    ALTER COLUMN summary SET STATISTICS 0,
    ALTER COLUMN search SET STATISTICS 0;
END IF;
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
// No data of the service is cast, so that none can make a query fail.
export const LIVE_NOTES_VIEW = `
CREATE OR REPLACE VIEW notewire_live_notes AS
  SELECT notes.integration, notes.note_id, notes.revision, notes.state->>'status' AS status,
    content.note->>'title' AS title,
    content.note->>'content' AS content,
    content.summary->>'markdown' AS summary,
    content.transcript->>'text' AS transcript,
    content.transcript->'segments' AS segments,
    content.note AS record,
    notes.state->>'transcriptStatus' AS transcript_status, notes.state->>'summaryStatus' AS summary_status,
    notes.state->>'createdAt' AS created_at, notes.state->>'updatedAt' AS updated_at,
    notes.settled_revision IS NOT DISTINCT FROM notes.revision AND notes.dirty IS NULL AS is_settled,
    content.search
  FROM notewire_mirror_notes AS notes
  LEFT JOIN notewire_mirror_content AS content ON content.integration = notes.integration AND content.note_id = notes.note_id
  WHERE notes.presence = 'live';
`

import type { SqliteStatement } from '@notewire/storage'
import { MAX_INDEXED } from '../indexed-text.ts'
import { OLD_PROCESS } from '../old-process.ts'
import { COUNTS, countsAfter } from './note-columns.ts'
import { RUNS_SCHEMA } from './run-statements.ts'

/** The version of these tables. A release increments it if earlier releases cannot use the new tables. */
export const SCHEMA_VERSION = 1

const INDEXED_COLUMNS = ['title', 'content', 'summary', 'transcript']

/**
 * The text of a column that the index contains: all of it if `is_indexed` is 1, as version 0.1.0 wrote it, and its beginning if `is_indexed` is 2. FTS5
 * deletes a row correctly only if it gets exactly the text that it has indexed.
 *
 * @param row  with a dot; empty for the row of the statement
 */
const indexedText = (row: string, column: string) =>
  `CASE ${row}is_indexed WHEN 2 THEN substr(${row}${column}, 1, ${MAX_INDEXED}) ELSE ${row}${column} END`

const indexedTexts = (row: string) => INDEXED_COLUMNS.map((column) => indexedText(row, column)).join(', ')

const ADD_TO_SEARCH = `
  INSERT INTO notewire_mirror_search (rowid, title, content, summary, transcript)
  VALUES (new.row_id, ${indexedTexts('new.')})`

// FTS5 needs the indexed text to delete it. Flush the deletion before adding the row again. Otherwise SQLite (3.54.1 and older) can keep a deleted
// word in the index, for instance if its positions in the new text take 128 to 191 bytes.
const REMOVE_FROM_SEARCH = `
  INSERT INTO notewire_mirror_search (notewire_mirror_search, rowid, title, content, summary, transcript)
  VALUES ('delete', old.row_id, ${indexedTexts('old.')});
  INSERT INTO notewire_mirror_search (notewire_mirror_search) VALUES ('flush')`

/** What maintains the search index, by name. Version 0.1.0 created it without a limit of the text; `REPLACE_INDEXING` replaces it. */
const INDEXING: Readonly<Record<string, string>> = {
  'VIEW notewire_mirror_indexed': `
    AS SELECT row_id, ${INDEXED_COLUMNS.map((column) => `${indexedText('', column)} AS ${column}`).join(', ')}
    FROM notewire_mirror_content WHERE is_indexed <> 0`,
  'TRIGGER notewire_mirror_content_inserted': `
    AFTER INSERT ON notewire_mirror_content WHEN new.is_indexed BEGIN
      ${ADD_TO_SEARCH};
    END`,
  'TRIGGER notewire_mirror_content_deleted': `
    AFTER DELETE ON notewire_mirror_content WHEN old.is_indexed BEGIN
      ${REMOVE_FROM_SEARCH};
    END`,
  'TRIGGER notewire_mirror_content_completed': `
    AFTER UPDATE OF is_indexed ON notewire_mirror_content WHEN new.is_indexed AND NOT old.is_indexed BEGIN
      ${ADD_TO_SEARCH};
    END`,
  'TRIGGER notewire_mirror_content_updated': `
    AFTER UPDATE OF record, summary_record, transcript_record ON notewire_mirror_content
    WHEN old.is_indexed AND (
      ${INDEXED_COLUMNS.map((column) => `${indexedText('old.', column)} IS NOT ${indexedText('new.', column)}`).join(' OR ')}
    ) BEGIN
      ${REMOVE_FROM_SEARCH};
      ${ADD_TO_SEARCH};
    END`,
}

const createIndexing = (name: string) => `CREATE ${name.replace(' ', ' IF NOT EXISTS ')} ${INDEXING[name]}`

const INDEX_OF_CONTRADICTIONS = `
    CREATE INDEX IF NOT EXISTS notewire_mirror_notes_contradicted ON notewire_mirror_notes (integration)
    WHERE contradicted_since IS NOT NULL`

/**
 * Refuses the listings of `createMirror` of version 0.1.0, which take another lease, once a later version has worked on the copy. Its receivers, and
 * `createMirrors` of version 0.1.0, go on.
 */
const REFUSE_LISTING_WITHOUT_LEASE = `
    CREATE TRIGGER IF NOT EXISTS notewire_mirrors_listed_without_lease BEFORE UPDATE OF progress_version ON notewire_mirrors
    WHEN new.progress_version <> old.progress_version AND EXISTS (
      SELECT 1 FROM notewire_integrations WHERE integration = new.integration AND record ->> 'isSingle')
    BEGIN
      SELECT RAISE(ABORT, '${OLD_PROCESS}');
    END`

/**
 * The statements with which `migrate` creates missing tables. Their comments are stored in the database, for users who open it.
 *
 * Times are milliseconds since the Unix epoch, except times of the service, which are stored as the service sends them (ISO 8601). Sequence numbers
 * are numbers of `notewire_mirrors.sequence`.
 */
export const SCHEMA: readonly SqliteStatement[] = [
  `
    CREATE TABLE IF NOT EXISTS notewire_mirrors (
      integration TEXT NOT NULL PRIMARY KEY,
      sequence INTEGER NOT NULL,         -- the latest sequence number
      position INTEGER NOT NULL,         -- feed position of the latest change
      progress TEXT,                     -- progress of the listings, JSON
      progress_version INTEGER NOT NULL, -- how often version 0.1.0 wrote the progress; later versions do not
      heard_at INTEGER,                  -- when the last event arrived
      ${COUNTS.map((count) => `${count} INTEGER NOT NULL DEFAULT 0`).join(', ')} -- note counts, maintained by triggers
    ) WITHOUT ROWID`,
  `
    CREATE TABLE IF NOT EXISTS notewire_mirror_notes (
      row_id INTEGER PRIMARY KEY,
      integration TEXT NOT NULL,
      note_id TEXT NOT NULL,
      version INTEGER NOT NULL,        -- how often this row was written
      due_at INTEGER,                  -- when the note or its content must be read
      state TEXT NOT NULL,             -- everything else that is known of the note and its reads: JSON
      presence TEXT AS (state ->> 'presence') STORED NOT NULL, -- 'live': shown; 'hidden': not shown, its removal is not confirmed; 'gone': erased
      evidence_start INTEGER AS (coalesce(state ->> '$.evidence.start', 0)) STORED, -- sequence number when the latest read that proved it was sent
      revision INTEGER AS (state ->> 'revision') STORED, -- revision of the stored record
      settled_revision INTEGER AS (state ->> 'settledRevision') STORED, -- that transcript and summary belong to; NULL if they must be read
      dirty INTEGER AS (state ->> 'dirty') STORED, -- sequence number of the hint: the note must be read after it
      hidden_at INTEGER AS (state ->> 'hiddenAt') STORED, -- when the event that announced the deletion arrived
      contradicted_since INTEGER AS (state ->> 'contradictedSince') STORED, -- when reads began to return a lower revision than before
      held_by_scan TEXT AS (state ->> 'heldByScan') STORED, -- the scan that holds the removal back until it is accepted
      position INTEGER,                -- feed position of the latest change
      visible_since INTEGER NOT NULL DEFAULT 0, -- position at which the note appeared last
      first_visible INTEGER,           -- position at which the note appeared first
      vanished_since INTEGER NOT NULL DEFAULT 0, -- position at which the note vanished last
      title_at INTEGER NOT NULL DEFAULT 0, -- position at which the title changed last
      content_at INTEGER NOT NULL DEFAULT 0,
      summary_at INTEGER NOT NULL DEFAULT 0,
      transcript_at INTEGER NOT NULL DEFAULT 0,
      statuses_at INTEGER NOT NULL DEFAULT 0, -- position at which one of the statuses changed last
      digests TEXT NOT NULL            -- of each part of the content, to find out which of them a write changes: JSON
    )`,
  'CREATE UNIQUE INDEX IF NOT EXISTS notewire_mirror_notes_by_id ON notewire_mirror_notes (integration, note_id)',
  `
    CREATE INDEX IF NOT EXISTS notewire_mirror_notes_by_evidence ON notewire_mirror_notes (integration, evidence_start)
    WHERE presence = 'live'`,
  `
    CREATE UNIQUE INDEX IF NOT EXISTS notewire_mirror_notes_by_position ON notewire_mirror_notes (integration, position)
    WHERE position IS NOT NULL`,
  `
    CREATE INDEX IF NOT EXISTS notewire_mirror_notes_due ON notewire_mirror_notes (integration, dirty IS NULL, due_at)
    WHERE due_at IS NOT NULL`,
  `
    CREATE INDEX IF NOT EXISTS notewire_mirror_notes_hidden ON notewire_mirror_notes (integration, hidden_at)
    WHERE hidden_at IS NOT NULL`,
  `
    CREATE INDEX IF NOT EXISTS notewire_mirror_notes_held ON notewire_mirror_notes (integration, held_by_scan, note_id)
    WHERE held_by_scan IS NOT NULL`,
  `
    CREATE TRIGGER IF NOT EXISTS notewire_mirror_notes_inserted AFTER INSERT ON notewire_mirror_notes BEGIN
      UPDATE notewire_mirrors SET ${countsAfter('insert')} WHERE integration = new.integration;
    END`,
  `
    CREATE TRIGGER IF NOT EXISTS notewire_mirror_notes_updated
    AFTER UPDATE OF state ON notewire_mirror_notes
    WHEN old.presence <> new.presence OR (old.dirty IS NULL) <> (new.dirty IS NULL)
      OR (old.settled_revision IS NULL) <> (new.settled_revision IS NULL)
      OR (old.contradicted_since IS NULL) <> (new.contradicted_since IS NULL)
    BEGIN
      UPDATE notewire_mirrors SET ${countsAfter('update')} WHERE integration = new.integration;
    END`,
  `
    CREATE TABLE IF NOT EXISTS notewire_mirror_content (
      row_id INTEGER PRIMARY KEY, -- of the note in notewire_mirror_notes
      record TEXT,                -- the note, as the service showed it: JSON
      summary_record TEXT,        -- JSON
      transcript_record TEXT,     -- JSON
      title TEXT AS (record ->> 'title'),
      content TEXT AS (record ->> 'content'),
      summary TEXT AS (summary_record ->> 'markdown'),
      transcript TEXT AS (transcript_record ->> 'text'),
      is_indexed INTEGER NOT NULL -- 0 until a search finds it; 1 if it finds all of its text, 2 if it finds the beginning of long texts
    )`,
  `
    CREATE INDEX IF NOT EXISTS notewire_mirror_content_waiting ON notewire_mirror_content (row_id)
    WHERE is_indexed = 0`,
  createIndexing('VIEW notewire_mirror_indexed'),
  `
    CREATE VIRTUAL TABLE IF NOT EXISTS notewire_mirror_search USING fts5 (
      title, content, summary, transcript,
      content = 'notewire_mirror_indexed', content_rowid = 'row_id', tokenize = 'unicode61 remove_diacritics 0'
    )`,
  // FTS5 removes deleted words from the index immediately, instead of marking them as deleted until a merge.
  "INSERT INTO notewire_mirror_search (notewire_mirror_search, rank) VALUES ('secure-delete', 1)",
  "INSERT INTO notewire_mirror_search (notewire_mirror_search, rank) VALUES ('rank', 'bm25(8, 2, 4, 1)')",
  ...Object.keys(INDEXING)
    .filter((name) => name.startsWith('TRIGGER'))
    .map(createIndexing),
  `
    CREATE VIEW IF NOT EXISTS notewire_live_notes AS
    SELECT
      integration, note_id, row_id, revision, state ->> 'status' AS status, title, content, summary, transcript,
      nullif(transcript_record -> 'segments', 'null') AS segments, record,
      state ->> 'transcriptStatus' AS transcript_status, state ->> 'summaryStatus' AS summary_status,
      state ->> 'createdAt' AS created_at, state ->> 'updatedAt' AS updated_at,
      settled_revision IS revision AND dirty IS NULL AS is_settled
    FROM notewire_mirror_notes LEFT JOIN notewire_mirror_content USING (row_id)
    WHERE presence = 'live'`,
  `
    CREATE TABLE IF NOT EXISTS notewire_mirror_consumers (
      integration TEXT NOT NULL,
      name TEXT NOT NULL,
      version INTEGER NOT NULL,   -- how often this row was written
      token INTEGER NOT NULL,     -- fencing token: increments each time the lease is taken
      state TEXT NOT NULL,        -- cursor, lease and backoff: JSON
      PRIMARY KEY (integration, name)
    ) WITHOUT ROWID`,
  `
    CREATE TABLE IF NOT EXISTS notewire_mirror_consumer_notes (
      integration TEXT NOT NULL,
      consumer TEXT NOT NULL,
      note_id TEXT NOT NULL,
      note TEXT NOT NULL,         -- the last applied change of the note, and its failed attempts: JSON
      due_at INTEGER AS (note ->> 'dueAt') STORED, -- when it is retried
      PRIMARY KEY (integration, consumer, note_id)
    ) WITHOUT ROWID`,
  `
    CREATE INDEX IF NOT EXISTS notewire_mirror_consumer_notes_due
    ON notewire_mirror_consumer_notes (integration, consumer, due_at) WHERE due_at IS NOT NULL`,
  `
    CREATE TABLE IF NOT EXISTS notewire_integrations (
      integration TEXT NOT NULL PRIMARY KEY,
      record TEXT NOT NULL,       -- state, schedule and endpoint: JSON
      generation TEXT AS (record ->> 'generation') STORED,    -- id of this copy
      version INTEGER AS (record ->> 'version') STORED,       -- how often this row was written, except by hints
      hints INTEGER AS (record ->> 'hints') STORED,           -- number of hints so far
      token INTEGER AS (record ->> 'token') STORED,           -- fencing token: increments each time a worker takes the integration
      lease_until INTEGER AS (record ->> 'leaseUntil') STORED, -- end of the lease of the worker that has it
      due_at INTEGER AS (record ->> 'dueAt') STORED,          -- when the next work is due
      rank INTEGER AS (record ->> 'rank') STORED,             -- of the work: 0 hint, 1 poll, 2 backfill, 3 full listing
      key_print TEXT AS (record ->> 'keyPrint') STORED UNIQUE -- identifies the API key and its service
    ) WITHOUT ROWID`,
  `
    CREATE INDEX IF NOT EXISTS notewire_integrations_due ON notewire_integrations (rank, due_at)
    WHERE due_at IS NOT NULL`,
  ...RUNS_SCHEMA,
  INDEX_OF_CONTRADICTIONS,
  REFUSE_LISTING_WITHOUT_LEASE,
  // The next two tables are assertions: inserting a row always fails, which rolls the transaction back.
  `
    CREATE TABLE IF NOT EXISTS notewire_integration_fences (
      of TEXT CONSTRAINT notewire_fenced CHECK (0)
    )`,
  `
    CREATE TABLE IF NOT EXISTS notewire_mirror_conflicts (
      of TEXT CONSTRAINT notewire_written_meanwhile CHECK (0)
    )`,
  // One row. `PRAGMA user_version` is not used, because it belongs to the application that owns the file, and D1 rejects it.
  'CREATE TABLE IF NOT EXISTS notewire_mirror_version (version INTEGER NOT NULL)',
  `
    INSERT INTO notewire_mirror_version (version)
    SELECT ${SCHEMA_VERSION} WHERE NOT EXISTS (SELECT 1 FROM notewire_mirror_version)`,
].map((sql) => ({ sql, parameters: [] }))

/** Returns a row for each of the two tables that exists. The first is created last, and version 0.1.0 does not create the second. */
export const FIND_SCHEMA: SqliteStatement = {
  sql: "SELECT name FROM sqlite_schema WHERE name IN ('notewire_mirror_version', 'notewire_mirror_runs') ORDER BY name DESC",
  parameters: [],
}

/**
 * Creates what databases of version 0.1.0 lack, and replaces the view and the triggers of its search index. Processes of version 0.1.0 can go on
 * writing: they mark what they index with 1.
 */
export const ADDED_SCHEMA: readonly SqliteStatement[] = [
  ...RUNS_SCHEMA,
  INDEX_OF_CONTRADICTIONS,
  REFUSE_LISTING_WITHOUT_LEASE,
  ...Object.keys(INDEXING).flatMap((name) => [`DROP ${name.replace(' ', ' IF EXISTS ')}`, createIndexing(name)]),
].map((sql) => ({ sql, parameters: [] }))

/** Whether the indexing of this database limits the text: 1 or 0. A process that may not change the tables leaves it as it is. */
export const IS_INDEXING_LIMITED =
  "(SELECT instr(sql, 'substr') > 0 FROM sqlite_schema WHERE name = 'notewire_mirror_indexed')"

export const READ_VERSION: SqliteStatement = { sql: 'SELECT version FROM notewire_mirror_version', parameters: [] }

export const REBUILD_SEARCH: SqliteStatement = {
  sql: "INSERT INTO notewire_mirror_search (notewire_mirror_search) VALUES ('rebuild')",
  parameters: [],
}

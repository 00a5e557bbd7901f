/**
 * The tables, as `migrate` makes them. The comments are for whoever reads this file; the README of the tables is the docstring of
 * `postgresMirror`.
 *
 * Versions of the store share them during a rolling upgrade: a later one may add columns that older functions can leave
 * out, and change nothing else.
 */
// Ids are compared byte by byte, which is faster than by the rules of a language and survives an upgrade of these. Half of each
// page of notes is left free: a scan stamps all rows of a page in one transaction, and finds room for them there, so that the
// indexes, none of which holds evidence, stay as they are (heap-only tuples).
export const TABLES = `
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
) WITH (${vacuumAtOnce('')}, ${vacuumAtOnce('toast.')});

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
`

// One dead row is enough for the next round of autovacuum, and words leave the index with it: what is erased is to go soon, also
// where little else happens.
function vacuumAtOnce(table: '' | 'toast.'): string {
  const settings = [
    'autovacuum_vacuum_threshold = 0',
    'autovacuum_vacuum_scale_factor = 0',
    'vacuum_index_cleanup = on',
  ]
  return settings.map((setting) => `${table}${setting}`).join(', ')
}

CREATE TABLE IF NOT EXISTS notewire_events (
      integration TEXT NOT NULL,
      event_id TEXT NOT NULL,
      fencing_token INTEGER NOT NULL, -- of the latest claim
      lease_ends_at INTEGER,          -- of the claim that has not ended
      processed_at INTEGER,           -- the mark of a commit
      forgotten_at INTEGER,           -- the mark counts no longer: the event may be processed again
      kept_until INTEGER,             -- when the mark may be pruned
      PRIMARY KEY (integration, event_id)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notewire_notes (
      integration TEXT NOT NULL,
      note_id TEXT NOT NULL,
      fencing_token INTEGER NOT NULL,     -- of the latest claim
      lease_ends_at INTEGER,              -- of the claim that has not ended
      revision INTEGER,                   -- the highest that was applied
      deleted INTEGER NOT NULL DEFAULT 0, -- whether the note counts as deleted
      deleted_at_any_revision INTEGER NOT NULL DEFAULT 0, -- only a later time ends the deletion: it had no revision
      deletion_occurred_at INTEGER,       -- when the deletion occurred, if that is known
      seen TEXT NOT NULL DEFAULT '[]',    -- what was applied at that revision since its deletion: kinds, in JSON
      kept_until INTEGER,                 -- when the revision may be pruned
      PRIMARY KEY (integration, note_id)
    ) STRICT, WITHOUT ROWID;
DELETE FROM notewire_events;
INSERT INTO notewire_events (integration, event_id, fencing_token, lease_ends_at, processed_at, forgotten_at, kept_until) VALUES ('default', 'evt_deleted', 1795348800000, NULL, 1795348800000, NULL, 1795608000000);
INSERT INTO notewire_events (integration, event_id, fencing_token, lease_ends_at, processed_at, forgotten_at, kept_until) VALUES ('default', 'evt_deleted_sometime', 1795348800000, NULL, 1795348800000, NULL, 1795608000000);
INSERT INTO notewire_events (integration, event_id, fencing_token, lease_ends_at, processed_at, forgotten_at, kept_until) VALUES ('default', 'evt_ended', 1795348800000, NULL, 1795348800000, NULL, 1795608000000);
INSERT INTO notewire_events (integration, event_id, fencing_token, lease_ends_at, processed_at, forgotten_at, kept_until) VALUES ('default', 'evt_held', 1795348800000, 4948948800000, NULL, NULL, NULL);
INSERT INTO notewire_events (integration, event_id, fencing_token, lease_ends_at, processed_at, forgotten_at, kept_until) VALUES ('default', 'evt_released', 1795348800000, NULL, NULL, NULL, NULL);
INSERT INTO notewire_events (integration, event_id, fencing_token, lease_ends_at, processed_at, forgotten_at, kept_until) VALUES ('default', 'evt_replayed', 1795348800000, NULL, 1795348800000, 1795348800000, 1795608000000);
INSERT INTO notewire_events (integration, event_id, fencing_token, lease_ends_at, processed_at, forgotten_at, kept_until) VALUES ('default', 'evt_test', 1795348800000, NULL, 1795348800000, NULL, 1795608000000);
INSERT INTO notewire_events (integration, event_id, fencing_token, lease_ends_at, processed_at, forgotten_at, kept_until) VALUES ('default', 'evt_updated', 1795348800000, NULL, 1795348800000, NULL, 1795608000000);
INSERT INTO notewire_events (integration, event_id, fencing_token, lease_ends_at, processed_at, forgotten_at, kept_until) VALUES ('team {50%}', 'evt_elsewhere', 1795348800000, NULL, 1795348800000, NULL, 1795608000000);
DELETE FROM notewire_notes;
INSERT INTO notewire_notes (integration, note_id, fencing_token, lease_ends_at, revision, deleted, deleted_at_any_revision, deletion_occurred_at, seen, kept_until) VALUES ('default', 'note_deleted', 1795348800000, NULL, 5, 1, 0, 1795348740000, '["note.deleted"]', 1795608000000);
INSERT INTO notewire_notes (integration, note_id, fencing_token, lease_ends_at, revision, deleted, deleted_at_any_revision, deletion_occurred_at, seen, kept_until) VALUES ('default', 'note_deleted_sometime', 1795348800000, NULL, 5, 1, 0, NULL, '["note.deleted"]', 1795608000000);
INSERT INTO notewire_notes (integration, note_id, fencing_token, lease_ends_at, revision, deleted, deleted_at_any_revision, deletion_occurred_at, seen, kept_until) VALUES ('default', 'note_ended', 1795348800000, NULL, 7, 0, 0, NULL, '["note.ended session_1"]', 1795608000000);
INSERT INTO notewire_notes (integration, note_id, fencing_token, lease_ends_at, revision, deleted, deleted_at_any_revision, deletion_occurred_at, seen, kept_until) VALUES ('default', 'note_held', 1795348800000, 4948948800000, NULL, 0, 0, NULL, '[]', NULL);
INSERT INTO notewire_notes (integration, note_id, fencing_token, lease_ends_at, revision, deleted, deleted_at_any_revision, deletion_occurred_at, seen, kept_until) VALUES ('default', 'note_released', 1795348800000, NULL, NULL, 0, 0, NULL, '[]', NULL);
INSERT INTO notewire_notes (integration, note_id, fencing_token, lease_ends_at, revision, deleted, deleted_at_any_revision, deletion_occurred_at, seen, kept_until) VALUES ('default', 'note_replayed', 1795348800000, NULL, 4, 0, 0, NULL, '["note.updated"]', 1795608000000);
INSERT INTO notewire_notes (integration, note_id, fencing_token, lease_ends_at, revision, deleted, deleted_at_any_revision, deletion_occurred_at, seen, kept_until) VALUES ('default', 'note_updated', 1795348800000, NULL, 3, 0, 0, NULL, '["note.updated"]', 1795608000000);
INSERT INTO notewire_notes (integration, note_id, fencing_token, lease_ends_at, revision, deleted, deleted_at_any_revision, deletion_occurred_at, seen, kept_until) VALUES ('team {50%}', 'note_updated', 1795348800000, NULL, 9, 0, 0, NULL, '["note.updated"]', 1795608000000);

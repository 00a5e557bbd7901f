import { OLD_PROCESS } from '../old-process.ts'

export const INTEGRATIONS_TABLE = `
CREATE TABLE IF NOT EXISTS notewire_integrations (
  integration text COLLATE "C" NOT NULL PRIMARY KEY,
  record      jsonb NOT NULL, -- state, schedule and endpoint; times are milliseconds since the Unix epoch, by the clock of the server
  generation  text GENERATED ALWAYS AS (record->>'generation') STORED,               -- id of this copy
  version     bigint GENERATED ALWAYS AS ((record->>'version')::bigint) STORED,      -- how often this row was written, except by hints
  hints       bigint GENERATED ALWAYS AS ((record->>'hints')::bigint) STORED,        -- number of hints so far
  token       bigint GENERATED ALWAYS AS ((record->>'token')::bigint) STORED,        -- fencing token: how often a worker took it
  lease_until float8 GENERATED ALWAYS AS ((record->>'leaseUntil')::float8) STORED,   -- end of the lease of the worker that has it
  due_at      float8 GENERATED ALWAYS AS ((record->>'dueAt')::float8) STORED,        -- when the next work is due
  rank        integer GENERATED ALWAYS AS ((record->>'rank')::integer) STORED,       -- of the work: 0 hint, 1 poll, 2 backfill, 3 scan
  key_print   text UNIQUE GENERATED ALWAYS AS (record->>'keyPrint') STORED           -- identifies the API key and its service
) WITH (fillfactor = 50);

CREATE INDEX IF NOT EXISTS notewire_integrations_due ON notewire_integrations (rank, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_contradicted ON notewire_mirror_notes (integration)
  WHERE contradicted_since IS NOT NULL;
CREATE INDEX IF NOT EXISTS notewire_mirror_notes_held ON notewire_mirror_notes (integration) WHERE held_by_scan IS NOT NULL;
`

/**
 * Refuses the listings of `createMirror` of version 0.1.0, which take another lease, once a later version has worked on the copy. Its receivers, and
 * `createMirrors` of version 0.1.0, go on.
 */
export const REFUSE_LISTING_WITHOUT_LEASE = `
CREATE OR REPLACE FUNCTION notewire_mirror_refuse_listing()
RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF EXISTS (SELECT FROM notewire_integrations AS integrations
    WHERE integrations.integration = NEW.integration AND integrations.record->>'isSingle' IS NOT NULL)
  THEN
    RAISE EXCEPTION '${OLD_PROCESS}';
  END IF;
  RETURN NEW;
END
$function$;

IF NOT EXISTS (
  SELECT FROM pg_trigger WHERE tgrelid = 'notewire_mirrors'::regclass AND tgname = 'notewire_mirrors_listed_without_lease'
) THEN
  CREATE TRIGGER notewire_mirrors_listed_without_lease BEFORE UPDATE OF progress_version ON notewire_mirrors
    FOR EACH ROW WHEN (NEW.progress_version <> OLD.progress_version) EXECUTE FUNCTION notewire_mirror_refuse_listing();
END IF;
`

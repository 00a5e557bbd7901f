import { MAX_RUNS } from '../mirror-store.ts'

/** The runs of a feed: see `MirrorStore.readFeed`. Version 0.1.0 does not create this table. */
export const RUNS_TABLE = `
CREATE TABLE IF NOT EXISTS notewire_mirror_runs (
  integration text COLLATE "C" NOT NULL,
  run         text COLLATE "C" NOT NULL, -- id; empty for the positions from before runs were recorded
  position    bigint NOT NULL,           -- feed position of the latest change before the run
  server      text NOT NULL,             -- the server process, the database and the file of notewire_mirrors, which wrote the run
  PRIMARY KEY (integration, run)
);

CREATE INDEX IF NOT EXISTS notewire_mirror_runs_by_position ON notewire_mirror_runs (integration, position);
`

/**
 * Begins a run unless the current one continues, and returns whether it has. Called under the lock of the mirror's row.
 *
 * A process that still runs after its database was restored, or after a lagging replica has replaced the server, finds that the server has started
 * since, that another database or another file has the tables, that its run is missing, or that the feed is before what it has written.
 */
export const BEGIN_RUN_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_mirror_begin_run(
  for_integration text, position_before bigint, current_run text, known_position bigint, next_run text
) RETURNS boolean LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
DECLARE
  this_server text := concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()),
    (SELECT oid FROM pg_database WHERE datname = current_database()), pg_relation_filenode('notewire_mirrors'));
BEGIN
  IF position_before >= known_position
    AND EXISTS (SELECT FROM notewire_mirror_runs AS runs WHERE runs.integration = for_integration AND runs.run = current_run)
    AND this_server = (
      SELECT runs.server FROM notewire_mirror_runs AS runs WHERE runs.integration = for_integration ORDER BY runs.position DESC LIMIT 1)
  THEN
    RETURN false;
  END IF;
  -- A process of version 0.1.0 that erases an integration leaves its runs.
  DELETE FROM notewire_mirror_runs AS runs WHERE runs.integration = for_integration AND runs.position >= position_before;
  IF position_before > 0 AND NOT EXISTS (SELECT FROM notewire_mirror_runs AS runs WHERE runs.integration = for_integration) THEN
    INSERT INTO notewire_mirror_runs (integration, run, position, server) VALUES (for_integration, '', 0, '');
  END IF;
  INSERT INTO notewire_mirror_runs (integration, run, position, server)
    VALUES (for_integration, next_run, position_before, this_server);
  DELETE FROM notewire_mirror_runs AS runs WHERE runs.integration = for_integration AND runs.position <= (
    SELECT oldest.position FROM notewire_mirror_runs AS oldest WHERE oldest.integration = for_integration
      ORDER BY oldest.position DESC OFFSET ${MAX_RUNS} LIMIT 1);
  RETURN true;
END
$function$;
`

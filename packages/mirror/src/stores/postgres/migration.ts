import type { PostgresTables } from '@notewire/storage'
import { COMMIT_FUNCTION } from './commit-function.ts'
import { COPY_FUNCTION } from './copy-function.ts'
import { ERASE_FUNCTION } from './erase-integration.ts'
import { INTEGRATIONS_TABLE, REFUSE_LISTING_WITHOUT_LEASE } from './integration-tables.ts'
import { LOAD_FUNCTION, SEQUENCE_FUNCTION } from './load-function.ts'
import { BEGIN_RUN_FUNCTION, RUNS_TABLE } from './runs.ts'
import { SEARCH_FUNCTIONS } from './search-functions.ts'
import { LIVE_NOTES_VIEW, SCHEMA_VERSION, TABLES } from './tables.ts'

const STATEMENTS = [
  TABLES,
  LIVE_NOTES_VIEW,
  SEARCH_FUNCTIONS,
  SEQUENCE_FUNCTION,
  LOAD_FUNCTION,
  COPY_FUNCTION,
  RUNS_TABLE,
  BEGIN_RUN_FUNCTION,
  COMMIT_FUNCTION,
  INTEGRATIONS_TABLE,
  ERASE_FUNCTION,
  REFUSE_LISTING_WITHOUT_LEASE,
]

export const MIRROR_TABLES: PostgresTables = {
  file: '@notewire/mirror/postgres.sql',
  functions: [...STATEMENTS.join().matchAll(/CREATE OR REPLACE FUNCTION (\w+)/g)].flatMap(([, name = []]) => name),
  lock: 7824530912,
  requirement: `
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'the mirror needs a database with the encoding UTF8, and this database has the encoding %', current_setting('server_encoding')
      USING HINT = 'Use a database that was created with ENCODING ''UTF8''.';
  END IF;
  IF to_regclass('notewire_mirror_version') IS NOT NULL THEN
    IF has_table_privilege('notewire_mirror_version', 'SELECT') THEN
      IF (SELECT max(version) > ${SCHEMA_VERSION} FROM notewire_mirror_version) THEN
        RAISE EXCEPTION 'a newer version of @notewire/mirror has created the tables of this database'
          USING HINT = 'Install that version, or make a new copy in another database or schema.';
      END IF;
    END IF;
  END IF;`,
  statements: STATEMENTS,
}

import { COMMIT_FUNCTION } from './commit-function.ts'
import { LIVE_NOTES_VIEW } from './live-notes-view.ts'
import { LOAD_FUNCTION } from './load-function.ts'
import { SEARCH_FUNCTIONS } from './search-functions.ts'
import { SEQUENCE_FUNCTION } from './sequence-function.ts'
import { TABLES } from './tables.ts'
import { TAKE_FUNCTION } from './take-function.ts'

const IS_DONE = `to_regproc('notewire_mirror_load_1') IS NOT NULL
    AND to_regproc('notewire_mirror_commit_1') IS NOT NULL
    AND to_regproc('notewire_mirror_take_1') IS NOT NULL`

/**
 * Makes tables, view and functions where they are missing, in one statement and hence in one transaction. Where nothing is
 * missing it takes no lock and needs no right to make anything.
 *
 * A function never changes under its name, which ends with its version: a later version of the store brings functions of
 * its own, and instances of the earlier one go on calling theirs on the same tables. Those may gain columns meanwhile: the
 * functions read a name that is both a parameter's and a column's as the parameter's (`variable_conflict`).
 */
// The lock ends with the transaction, so that PgBouncer may give the connection to somebody else. Its number is arbitrary.
export const MIGRATION = `
DO $migration$
BEGIN
  IF ${IS_DONE} THEN
    RETURN;
  END IF;
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'notes are of all languages, and this database is of encoding %', current_setting('server_encoding')
      USING HINT = 'Keep the mirror in a database that was made with ENCODING ''UTF8''.';
  END IF;
  PERFORM pg_advisory_xact_lock(7824530912);
  IF ${IS_DONE} THEN
    RETURN;
  END IF;
${TABLES}${LIVE_NOTES_VIEW}${SEARCH_FUNCTIONS}${SEQUENCE_FUNCTION}${LOAD_FUNCTION}${COMMIT_FUNCTION}${TAKE_FUNCTION}
END
$migration$
`

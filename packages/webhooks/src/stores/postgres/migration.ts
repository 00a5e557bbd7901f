import { CLAIM_FUNCTION } from './claim-function.ts'
import { COMMIT_FUNCTION } from './commit-function.ts'
import { LEASE_FUNCTION } from './lease-function.ts'
import { TABLES } from './tables.ts'

const IS_DONE = `to_regproc('notewire_claim_1') IS NOT NULL
    AND to_regproc('notewire_commit_1') IS NOT NULL
    AND to_regproc('notewire_lease_1') IS NOT NULL`

/**
 * Makes the tables and functions where they are missing, in one statement and hence in one transaction. Where nothing is
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
  PERFORM pg_advisory_xact_lock(7824530911);
  IF ${IS_DONE} THEN
    RETURN;
  END IF;
${TABLES}${CLAIM_FUNCTION}${COMMIT_FUNCTION}${LEASE_FUNCTION}
END
$migration$
`

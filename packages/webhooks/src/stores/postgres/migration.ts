import { migrationOf } from '../../storage/postgres-migration.ts'
import { CLAIM_FUNCTION } from './claim-function.ts'
import { COMMIT_FUNCTION } from './commit-function.ts'
import { LEASE_FUNCTION } from './lease-function.ts'
import { TABLES } from './tables.ts'

/** Creates the tables and functions that are missing. */
export const MIGRATION = migrationOf({
  functions: ['notewire_claim_1', 'notewire_commit_1', 'notewire_lease_1'],
  lock: 7824530911,
  statements: [TABLES, CLAIM_FUNCTION, COMMIT_FUNCTION, LEASE_FUNCTION],
})

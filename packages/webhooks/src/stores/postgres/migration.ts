import type { PostgresTables } from '../../storage/postgres-migration.ts'
import { CLAIM_FUNCTION } from './claim-function.ts'
import { COMMIT_FUNCTION } from './commit-function.ts'
import { LEASE_FUNCTION } from './lease-function.ts'
import { TABLES } from './tables.ts'

/** The tables and functions of a receiver. */
export const RECEIVER_TABLES: PostgresTables = {
  file: '@notewire/webhooks/postgres.sql',
  functions: ['notewire_claim_2', 'notewire_commit_2', 'notewire_lease_1'],
  lock: 7824530911,
  statements: [TABLES, CLAIM_FUNCTION, COMMIT_FUNCTION, LEASE_FUNCTION],
}

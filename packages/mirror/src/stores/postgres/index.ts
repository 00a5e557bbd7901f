export type { PostgresConnection } from '@notewire/webhooks/postgres'
export { PostgresNotMigratedError } from './not-migrated-error.ts'
export { postgresMirror } from './postgres-mirror.ts'
export { PostgresTimeoutError } from './timeout-error.ts'

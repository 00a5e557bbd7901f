export { PostgresNotMigratedError } from './not-migrated-error.ts'
export type { PostgresConnection } from './postgres-connection.ts'
export { type PostgresStore, postgresStore } from './postgres-store.ts'
export { PostgresTimeoutError } from './postgres-timeout-error.ts'

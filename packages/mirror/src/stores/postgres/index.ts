export {
  type PostgresConnection,
  PostgresFailedError,
  PostgresNotMigratedError,
  type PostgresStoreOptions,
  PostgresTimeoutError,
  type PostgresTransaction,
} from '@notewire/webhooks/storage'
export { type PostgresMirror, postgresMirror } from './postgres-mirror.ts'

export {
  type PostgresConnection,
  PostgresFailedError,
  PostgresNotMigratedError,
  type PostgresStoreOptions,
  PostgresTimeoutError,
  type PostgresTransaction,
} from '@notewire/storage'
export { type PostgresMirror, postgresMirror } from './postgres-mirror.ts'

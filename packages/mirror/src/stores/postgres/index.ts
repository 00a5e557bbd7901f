export {
  type PostgresConnection,
  PostgresNotMigratedError,
  type PostgresStoreOptions,
  PostgresTimeoutError,
} from '@notewire/webhooks/storage'
export { type PostgresMirror, postgresMirror } from './postgres-mirror.ts'

export {
  type PostgresConnection,
  PostgresNotMigratedError,
  PostgresTimeoutError,
} from '@notewire/webhooks/storage'
export { type PostgresMirror, postgresMirror } from './postgres-mirror.ts'

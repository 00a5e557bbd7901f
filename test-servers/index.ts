export { type PgBouncer, startPgBouncer } from './pg-bouncer.ts'
export { type Postgres, startPostgres } from './postgres.ts'
export { type Redis, startRedis } from './redis.ts'

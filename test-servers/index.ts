export { type PgBouncer, startPgBouncer } from './pg-bouncer.ts'
export { type Postgres, startPostgres } from './postgres.ts'
export { type Redis, startRedis } from './redis.ts'
export { type RedisCluster, startRedisCluster } from './redis-cluster.ts'

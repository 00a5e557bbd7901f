export type { IoredisClient, NodeRedisClient } from './redis-client.ts'
export { redisStore } from './redis-store.ts'
export { RedisTimeoutError } from './redis-timeout-error.ts'

export type { IoredisClient, NodeRedisClient } from './redis-client.ts'
export { RedisTimeoutError, redisStore } from './redis-store.ts'

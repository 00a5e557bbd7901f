import type { CacheClient } from '@aws-lambda-powertools/idempotency/cache/types'
import { redisStore } from '@notewire/webhooks/redis'
import type { ReceiverStore } from '@notewire/webhooks/store'
import { Redis } from 'ioredis'
import { createClient } from 'redis'

interface RedisDriver {
  readonly name: string
  connect(port: number): Promise<RedisConnection>
}

/** One connection, and the operations that are compared on it. */
export interface RedisConnection extends AsyncDisposable {
  readonly store: ReceiverStore
  readonly cache: CacheClient
  setIfMissing(key: string, value: string, keepMs: number): Promise<unknown>
  set(key: string, value: string, keepMs: number): Promise<unknown>
  ping(): Promise<unknown>
  /** Caches a script in Redis. @returns a function that runs it by its hash */
  loadScript(source: string): Promise<RunScript>
}

type RunScript = (keys: string[], args: string[]) => Promise<unknown>

/** The drivers with their default settings, but without a time limit for commands: `redis` starts a timer for each, which fires in a later turn. */
export const redisDrivers: readonly RedisDriver[] = [
  { name: 'ioredis', connect: async (port) => byIoredis(port) },
  { name: 'redis', connect: byNodeRedis },
]

function byIoredis(port: number): RedisConnection {
  const redis = new Redis(port)
  return {
    store: redisStore(redis),
    cache: cacheOver(redis),
    setIfMissing: (key, value, keepMs) => redis.set(key, value, 'PX', keepMs, 'NX'),
    set: (key, value, keepMs) => redis.set(key, value, 'PX', keepMs),
    ping: () => redis.ping(),
    loadScript: async (source) => {
      const sha1 = String(await redis.script('LOAD', source))
      return (keys, args) => redis.evalsha(sha1, keys.length, ...keys, ...args)
    },
    [Symbol.asyncDispose]: async () => redis.disconnect(),
  }
}

// Powertools expects the commands of `redis`.
function cacheOver(redis: Redis): CacheClient {
  return {
    get: (key) => redis.get(key),
    set: (key, value, options) => {
      const { EX: seconds, NX: ifMissing = false } = options as { readonly EX: number; readonly NX?: boolean }
      return ifMissing
        ? redis.set(String(key), String(value), 'EX', seconds, 'NX')
        : redis.set(String(key), String(value), 'EX', seconds)
    },
    del: (keys) => redis.del(keys),
  }
}

async function byNodeRedis(port: number): Promise<RedisConnection> {
  const redis = await createClient({ url: `redis://127.0.0.1:${port}`, commandOptions: { timeout: 0 } })
    .on('error', console.error)
    .connect()
  return {
    store: redisStore(redis),
    cache: {
      get: (key) => redis.get(key),
      set: (key, value, options) => redis.set(String(key), String(value), options ?? {}),
      del: (keys) => redis.del(keys),
    },
    setIfMissing: (key, value, keepMs) => redis.set(key, value, { PX: keepMs, NX: true }),
    set: (key, value, keepMs) => redis.set(key, value, { PX: keepMs }),
    ping: () => redis.ping(),
    loadScript: async (source) => {
      const sha1 = await redis.scriptLoad(source)
      return (keys, args) => redis.evalSha(sha1, { keys, arguments: args })
    },
    [Symbol.asyncDispose]: async () => redis.destroy(),
  }
}

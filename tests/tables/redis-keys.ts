import { clientMakers } from '../../packages/webhooks/src/stores/redis/fixtures/clients.ts'

const HOUR_MS = 3_600_000

/** The methods of a client of Redis that the store of the receiver and this folder call. */
export interface RedisClient {
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** A key with its value, and how long Redis keeps it, in milliseconds. */
export interface FrozenKey {
  readonly key: string
  readonly value: string
  readonly keepMs: number
}

export async function connectRedis(port: number): Promise<{ client: RedisClient; close: () => void }> {
  const connected = await clientMakers.find(({ name }) => name === 'ioredis')?.connect(port)
  if (connected === undefined || !('evalsha' in connected.client)) throw new Error('No client of ioredis connected.')
  return { client: connected.client, close: connected.close }
}

/** A client for whose scripts the time of the server stands still, and keys expire after whole hours. */
export function atFrozenTime(client: RedisClient, at: number): RedisClient {
  return {
    evalsha: async () => {
      throw new Error('NOSCRIPT Scripts are sent whole, because their text is changed.')
    },
    eval: (source, ...others) =>
      client.eval(
        source
          .replaceAll("redis.call('TIME')", `{ ${Math.floor(at / 1000)}, 0 }`)
          .replaceAll(/redis\.call\('PTTL', .*?\)/g, `math.ceil($& / ${HOUR_MS}) * ${HOUR_MS}`),
        ...others,
      ),
  }
}

/** Reads all keys of the server in alphabetical order, with the time to keep in whole hours: some of it has passed. */
export async function dumpRedis(client: RedisClient): Promise<readonly FrozenKey[]> {
  const keys = JSON.parse(String(await client.eval(READ_KEYS, 0))) as readonly FrozenKey[]
  return keys.map(({ key, value, keepMs }) => ({ key, value, keepMs: Math.ceil(keepMs / HOUR_MS) * HOUR_MS }))
}

export async function restoreRedis(client: RedisClient, keys: readonly FrozenKey[]): Promise<void> {
  for (const { key, value, keepMs } of keys) await client.eval(WRITE_KEY, 1, key, value, String(keepMs))
}

const READ_KEYS = `
local keys = redis.call('KEYS', '*')
table.sort(keys)
local found = {}
for place, key in ipairs(keys) do
  found[place] = { key = key, value = redis.call('GET', key), keepMs = redis.call('PTTL', key) }
end
return cjson.encode(found)`

const WRITE_KEY = "return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])"

import { startRedis } from 'notewire-test-servers'
import { claimsIn, KEEP_MS, LEASE_MS, newEventId } from './claims.ts'
import { oncePowertools } from './powertools.ts'
import { type RedisConnection, redisDrivers } from './redis-drivers.ts'
import type { Row, Table } from './report.ts'
import { type Contender, measureThroughput } from './throughput.ts'

const SHARE = 0.95

/** Measures claim and commit in Redis, compared with the minimum of two commands. */
export async function measureRedisStore(): Promise<readonly Table[]> {
  await using redis = await startRedis()
  const tables: Table[] = []
  for (const { name, connect } of redisDrivers) {
    await using connection = await connect(redis.port)
    tables.push({
      title: `Claim and commit of distinct events in Redis, by ${name}`,
      unit: 'events/s',
      note: 'Over one connection, to a server on this machine that writes nothing to disk. Raw: SET NX PX, then SET PX. Powertools: makeIdempotent around an empty function. Ratios of throughput to raw.',
      rows: await rowsOver(connection),
    })
  }
  return tables
}

async function rowsOver(connection: RedisConnection): Promise<readonly Row[]> {
  const contenders: readonly Contender[] = [
    { name: 'raw pair', operate: () => rawPair(connection) },
    ...claimsIn(connection.store, SHARE),
    { name: '@aws-lambda-powertools', operate: oncePowertools(connection.cache) },
  ]
  return [...(await measureThroughput(contenders, 1)), ...(await measureThroughput(contenders, 32))]
}

async function rawPair({ setIfMissing, set }: RedisConnection): Promise<void> {
  const key = `event:${newEventId()}`
  if ((await setIfMissing(key, 'claimed', LEASE_MS)) !== 'OK') throw new Error('a new event is there already')
  await set(key, 'processed', KEEP_MS)
}

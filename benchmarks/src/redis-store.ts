import { startRedis } from 'notewire-test-servers'
import { claimsIn, KEEP_MS, LEASE_MS, newEventId } from './claims.ts'
import { oncePowertools } from './powertools.ts'
import { type RedisConnection, redisDrivers } from './redis-drivers.ts'
import type { Row, Table } from './report.ts'
import { type Contender, measureThroughput } from './throughput.ts'

/** Our lower limit, as a share of two commands. */
const AIM = 0.95

/** Measures claim and commit in Redis, compared with the minimum of two commands. */
export async function measureRedisStore(): Promise<readonly Table[]> {
  await using redis = await startRedis()
  const rows: Row[] = []
  for (const { name, connect } of redisDrivers) {
    await using connection = await connect(redis.port)
    const contenders: readonly Contender[] = [
      { name: 'two commands', operate: () => rawPair(connection), isAlternative: true },
      { name: '@aws-lambda-powertools', operate: oncePowertools(connection.cache), isAlternative: true },
      ...claimsIn(connection.store, AIM),
    ]
    rows.push(...(await measureThroughput(name, contenders, 1)), ...(await measureThroughput(name, contenders, 32)))
  }
  return [
    {
      title: 'How fast is a claim in Redis?',
      unit: 'events/s',
      moreIsBetter: true,
      note: 'Claim and commit of new events over one connection, to a server that does not write to disk. *Two commands* are `SET NX PX` and `SET PX`. @aws-lambda-powertools runs `makeIdempotent`.',
      rows,
    },
  ]
}

async function rawPair({ setIfMissing, set }: RedisConnection): Promise<void> {
  const key = `event:${newEventId()}`
  if ((await setIfMissing(key, 'claimed', LEASE_MS)) !== 'OK') throw new Error('a new event is there already')
  await set(key, 'processed', KEEP_MS)
}

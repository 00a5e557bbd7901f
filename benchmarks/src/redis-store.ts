import { startRedis } from 'notewire-test-servers'
import { claimsIn, claimWithNote, KEEP_MS, LEASE_MS, newEventId } from './claims.ts'
import { oncePowertools } from './powertools.ts'
import { type RedisConnection, redisDrivers } from './redis-drivers.ts'
import { scriptPair } from './redis-pair.ts'
import type { Row, Table } from './report.ts'
import { type Contender, measureThroughput } from './throughput.ts'

/**
 * Our lower limits: as a share of two commands, which have no token and no gate, so that a script with the same meaning cannot be as fast; and as a
 * share of two scripts with the same meaning.
 */
const AIMS = { commands: 0.65, scripts: 0.9 }

/** Measures claim and commit in Redis, compared with the minimum of two commands, and with two scripts of the same meaning. */
export async function measureRedisStore(): Promise<readonly Table[]> {
  await using redis = await startRedis()
  const rows: Row[] = []
  const rowsOfPair: Row[] = []
  for (const { name, connect } of redisDrivers) {
    await using connection = await connect(redis.port)
    const contenders: readonly Contender[] = [
      { name: 'two commands', operate: () => rawPair(connection), isAlternative: true },
      { name: '@aws-lambda-powertools', operate: oncePowertools(connection.cache), isAlternative: true },
      ...claimsIn(connection.store, AIMS.commands),
    ]
    rows.push(...(await measureThroughput(name, contenders, 1)), ...(await measureThroughput(name, contenders, 32)))
    const pair: readonly Contender[] = [
      { name: 'two scripts', operate: await scriptPair(connection), isAlternative: true },
      { ...claimWithNote(connection.store), aim: AIMS.scripts },
    ]
    rowsOfPair.push(...(await measureThroughput(name, pair, 1)), ...(await measureThroughput(name, pair, 32)))
  }
  return [
    {
      title: 'How fast is a claim in Redis?',
      unit: 'events/s',
      moreIsBetter: true,
      note: 'Claim and commit of new events over one connection, to a server that does not write to disk. *Two commands* are `SET NX PX` and `SET PX`. @aws-lambda-powertools runs `makeIdempotent`.',
      rows,
    },
    {
      title: 'How fast is a claim in Redis, compared with scripts?',
      unit: 'events/s',
      moreIsBetter: true,
      note: 'Claim and commit of new events with a note over one connection. *Two scripts* are written by hand: a lease with a token, a gate by the revision, and a commit that only the holder of the lease can do.',
      rows: rowsOfPair,
    },
  ]
}

async function rawPair({ setIfMissing, set }: RedisConnection): Promise<void> {
  const key = `event:${newEventId()}`
  if ((await setIfMissing(key, 'claimed', LEASE_MS)) !== 'OK') throw new Error('a new event is there already')
  await set(key, 'processed', KEEP_MS)
}

import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFailed } from 'vitest'
import { brokenPromises, type Evidence } from './receiving-under-fire/broken-promises.ts'
import { type ChaosResult, runChaos } from './receiving-under-fire/chaos.ts'
import { readChronicle } from './receiving-under-fire/chronicle.ts'
import { Fleet } from './receiving-under-fire/fleet.ts'
import { INTEGRATIONS } from './receiving-under-fire/integrations.ts'
import { drawCrowd, drawDeliveries } from './receiving-under-fire/plan.ts'
import { makePostgres } from './receiving-under-fire/servers/postgres.ts'
import { makeRedis } from './receiving-under-fire/servers/redis.ts'
import { makeSqlite } from './receiving-under-fire/servers/sqlite.ts'
import type { StoreServer } from './receiving-under-fire/servers/store-server.ts'
import { DISABLING_FAILURES, Service } from './receiving-under-fire/service.ts'
import { isInstalled } from './servers/is-installed.ts'
import { Random } from './simulation/random.ts'
import { isProof } from './test-run.ts'

// The chaos reserves up to eight workers for its slow events.
const WORKERS = isProof ? 16 : 12
const DELIVERIES = WORKERS * (isProof ? 8_000 : 700)
const NOTES = isProof ? 300 : 200
const KILLS = isProof ? 60 : 4
const CROWD = 50

/** Determines what is sent in which order to which worker, and which worker is killed when. Durations are not determined. */
const seed = Number(process.env['FIRE_SEED'] ?? randomInt(2 ** 31))

const sqliteTransactions = {
  name: 'one file of SQLite, with transactions of the receiver',
  makeServer: () => makeSqlite('sqlite-transactions'),
}

const stores = [
  { name: 'one file of SQLite', makeServer: () => makeSqlite() },
  ...(isProof ? [sqliteTransactions] : []),
  { name: 'PostgreSQL', makeServer: () => makePostgres() },
  {
    name: 'PostgreSQL, with transactions of the receiver',
    makeServer: () => makePostgres('postgres-transactions'),
  },
  ...(isInstalled('redis-server') ? [{ name: 'Redis', makeServer: makeRedis }] : []),
]

describe.each(stores)(`${WORKERS} workers with wrong clocks on $name`, ({ makeServer }) => {
  let folder: string
  let server: StoreServer
  let fleet: Fleet
  let service: Service

  // For each test: one that is repeated needs workers, too.
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'notewire-under-fire-'))
    server = await makeServer()
    fleet = new Fleet(server, new Random(seed, 0), folder)
    await fleet.startAll(WORKERS)
    service = new Service(fleet, new Random(seed, 1))
  })
  afterEach(async () => {
    await fleet.killAll()
    await server.stop()
    await rm(folder, { recursive: true })
  })

  it('answer fifty parallel events on one note so that the endpoint stays active', async () => {
    onTestFailed(printCommand)
    const crowd = INTEGRATIONS.flatMap((integration) => drawCrowd(new Random(seed, 2), integration, CROWD))
    await Promise.all(crowd.map((addressed) => service.deliver(addressed)))
    for (const integration of INTEGRATIONS) expect(service.maxFailures[integration]).toBeLessThan(DISABLING_FAILURES)
    expect(brokenPromises(await evidence())).toEqual([])
  })

  it('lose no event, and apply no event twice or after a newer one, while workers and the store are killed', async () => {
    onTestFailed(printCommand)
    const deliveries = drawDeliveries(new Random(seed, 3), NOTES, DELIVERIES)
    const result = await runChaos({ server, fleet, service, random: new Random(seed, 4), deliveries, kills: KILLS })
    await fleet.close()
    const found = await evidence(result)
    expect(brokenPromises(found)).toEqual([])

    // If an outcome never occurred, the test would prove nothing about it.
    for (const attempts of result.attemptsOfOverdue) expect(attempts).toBeGreaterThan(1)
    const outcomes = new Set(found.entries.map(({ what }) => what))
    for (const what of ['applied', 'unhandled', 'duplicate', 'stale', 'busy']) expect(outcomes).toContain(what)
    // With transactions, the workers that were paused may all have had transactions, which have no claim to lose.
    if (!found.inTransactions) expect(outcomes).toContain('claim-lost')
    if (server.crashAndRestart !== undefined) expect(outcomes).toContain('store-failed')
  })

  async function evidence({ killed, paused }: Pick<ChaosResult, 'killed' | 'paused'> = NO_CHAOS): Promise<Evidence> {
    const { sent } = service
    return {
      killed,
      paused,
      sent,
      committed: (await server.readEffects?.()) ?? [],
      inTransactions: server.engine.endsWith('-transactions'),
      entries: readChronicle(fleet.chronicle),
    }
  }
})

const NO_CHAOS = { killed: new Set<string>(), paused: new Set<string>() }

function printCommand(): void {
  const command = 'vitest run --config vitest.workspace.ts --project receiving-under-fire'
  console.error(`Repeat with the same seed: FIRE_SEED=${seed} npx ${command}`)
}

import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest'
import { readChronicle } from './receiving-under-fire/chronicle.ts'
import { type Damage, playWithFire } from './receiving-under-fire/fire.ts'
import { Fleet } from './receiving-under-fire/fleet.ts'
import { INTEGRATIONS } from './receiving-under-fire/integrations.ts'
import { brokenPromises, type Evidence } from './receiving-under-fire/judge.ts'
import { drawCrowd, drawDeliveries } from './receiving-under-fire/plan.ts'
import { makePostgres } from './receiving-under-fire/servers/postgres.ts'
import { makeRedis } from './receiving-under-fire/servers/redis.ts'
import { makeSqlite } from './receiving-under-fire/servers/sqlite.ts'
import type { StoreServer } from './receiving-under-fire/servers/store-server.ts'
import { DISABLING_FAILURES, Service } from './receiving-under-fire/service.ts'
import { isInstalled } from './servers/is-installed.ts'
import { Random } from './simulation/random.ts'
import { isProof } from './test-run.ts'

const WORKERS = 16
const DELIVERIES = WORKERS * (isProof ? 8_000 : 200)
const NOTES = 300
const KILLS = isProof ? 60 : 4
const CROWD = 50

/** Decides what is sent, in which order and whereto, who is killed and when; but not how long anything takes. */
const seed = Number(process.env['FIRE_SEED'] ?? randomInt(2 ** 31))

const stores = [
  { name: 'one file of SQLite', makeServer: makeSqlite },
  { name: 'PostgreSQL', makeServer: makePostgres },
  ...(isInstalled('redis-server') ? [{ name: 'Redis', makeServer: makeRedis }] : []),
]

describe.each(stores)('sixteen workers with wrong clocks on $name', ({ makeServer }) => {
  let folder: string
  let server: StoreServer
  let fleet: Fleet
  let service: Service

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'notewire-under-fire-'))
    server = await makeServer()
    fleet = new Fleet(server, new Random(seed, 0), folder)
    await fleet.muster(WORKERS)
    service = new Service(fleet, new Random(seed, 1))
  })
  afterAll(async () => {
    await fleet.abandon()
    await server.stop()
    await rm(folder, { recursive: true })
  })

  it('answer fifty parallel events on one note so that the endpoint stays active', async () => {
    onTestFailed(sayHowToRepeat)
    const crowd = INTEGRATIONS.flatMap((integration) => drawCrowd(new Random(seed, 2), integration, CROWD))
    await Promise.all(crowd.map((addressed) => service.deliver(addressed)))
    for (const integration of INTEGRATIONS) expect(service.mostFailures[integration]).toBeLessThan(DISABLING_FAILURES)
    expect(brokenPromises(await evidence())).toEqual([])
  })

  it('lose no event, and apply none twice or after a newer one, while they and the store are killed', async () => {
    onTestFailed(sayHowToRepeat)
    const deliveries = drawDeliveries(new Random(seed, 3), NOTES, DELIVERIES)
    const damage = await playWithFire({ server, fleet, service, random: new Random(seed, 4), deliveries, kills: KILLS })
    await fleet.close()
    const found = await evidence(damage)
    expect(brokenPromises(found)).toEqual([])

    // A fire in which little burns would prove little.
    for (const attempts of damage.attemptsOfOverdue) expect(attempts).toBeGreaterThan(1)
    const told = new Set(found.moments.map(({ what }) => what))
    for (const what of ['applied', 'unhandled', 'duplicate', 'stale', 'busy', 'claim-lost'])
      expect(told).toContain(what)
    if (server.crashAndRestart !== undefined) expect(told).toContain('store-failed')
  })

  async function evidence({ killed, paused }: Pick<Damage, 'killed' | 'paused'> = NO_DAMAGE): Promise<Evidence> {
    const { sent } = service
    return {
      killed,
      paused,
      sent,
      committed: await server.readEffects?.(),
      moments: readChronicle(fleet.chronicle),
    }
  }
})

const NO_DAMAGE = { killed: new Set<string>(), paused: new Set<string>() }

function sayHowToRepeat(): void {
  const command = 'vitest run --config vitest.workspace.ts --project receiving-under-fire'
  console.error(`The same decisions again: FIRE_SEED=${seed} npx ${command}`)
}

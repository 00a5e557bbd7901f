import type { MirrorStore } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryMirror } from '../packages/mirror/fixtures/memory-mirror/memory-mirror.ts'
import { findForeignNotes } from './many-mirrors/isolation.ts'
import { simulator } from './many-mirrors/simulator.ts'
import { openPool, startPostgres, temporaryPath } from './servers/index.ts'
import { replayCommand } from './simulation/exploration.ts'
import { explore } from './simulation/explore.ts'
import { misfitsOf } from './simulation/plant.ts'
import type { PlantedCase } from './simulation/simulator.ts'
import { IN_PROOF, isProof } from './test-run.ts'

const SEED = 2026
// Includes history 84, in which two workers once took an integration from each other for ever.
const HISTORIES = isProof ? 3_000 : 100

const OPERATIONS = isProof ? 200_000 : 10_000

describe(`${OPERATIONS} operations`, () => {
  const show = async (store: MirrorStore) => await findForeignNotes(store, OPERATIONS, SEED)

  it('show no note of another integration in memory', async () => {
    expect(await show(memoryMirror())).toEqual([])
  })

  it('show no note of another integration in SQLite', async () => {
    const store = sqliteMirror(temporaryPath(onTestFinished))
    onTestFinished(() => store.close?.())
    expect(await show(store)).toEqual([])
  })

  it('show no note of another integration in PostgreSQL', async () => {
    await using server = await startPostgres()
    const pool = openPool(server.url, { max: 8 })
    expect(await show(postgresMirror(pool))).toEqual([])
    await pool.end()
  })
})

describe.concurrent('histories of four integrations and two processes, one of which freezes', () => {
  it(`contain no violation, in ${HISTORIES} histories`, async () => {
    const { found, tally } = await explore(simulator, { store: 'memory', seed: SEED, histories: HISTORIES })
    if (found !== undefined) {
      const again = replayCommand(simulator, { seed: SEED, history: found.history, store: 'memory' })
      expect.fail(`${found.violation}\nTo replay: ${again}`)
    }
    for (const [act, times] of Object.entries(tally)) expect(times, act).toBeGreaterThan(HISTORIES / 10)
  })

  it.each(simulator.plantedCases.filter(isQuick))('detect the planted bug: $name', detect)

  it.each(simulator.plantedCases.filter((planted) => !isQuick(planted)))(
    'detect the planted bug: $name',
    IN_PROOF,
    detect,
  )
})

/** Whether a few histories show a bug, so that each run of the tests shows that the histories can fail. */
function isQuick({ name }: PlantedCase): boolean {
  return name === 'a copy that is listed for ever' || name === 'a probe undoes a resume'
}

async function detect({ name }: PlantedCase): Promise<void> {
  const { found } = await explore(simulator, { store: 'memory', seed: SEED, histories: 200, bug: name })
  expect(found?.violation, 'not within 200 histories').toBeDefined()
}

it('each planted bug fits the code', () => {
  expect(misfitsOf(simulator)).toEqual([])
})

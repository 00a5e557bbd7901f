import { describe, expect, it } from 'vitest'
import { simulator } from './many-mirrors/simulator.ts'
import { explore } from './simulation/explore.ts'
import { isProof } from './test-run.ts'

const SEED = 2026
const HISTORIES = isProof ? 3_000 : 30

describe.concurrent('histories of three integrations and two processes, one of which freezes', () => {
  it(`keep every promise, ${HISTORIES} of them`, async () => {
    const { found, tally } = await explore(simulator, { store: 'memory', seed: SEED, histories: HISTORIES })
    expect(found).toBeUndefined()
    for (const [act, times] of Object.entries(tally)) expect(times, act).toBeGreaterThan(HISTORIES / 10)
  })

  it.each(simulator.plantedCases)('find that $name', async ({ name }) => {
    const { found } = await explore(simulator, { store: 'memory', seed: SEED, histories: 200, bug: name })
    expect(found?.violation, 'not within 200 histories').toBeDefined()
  })
})

import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run, WORKSPACE } from '../scripts/run.ts'
import { plantedBugs } from './receiving-simulator/planted-bugs.ts'
import { simulator } from './receiving-simulator/simulator.ts'
import { replayCommand } from './simulation/exploration.ts'
import { explore } from './simulation/explore.ts'
import { misfitsOf } from './simulation/plant.ts'
import { BOUND, findAgain } from './simulation/planted-search.ts'
import { IN_PROOF, isProof } from './test-run.ts'

const HISTORIES = isProof ? 10_000 : 300

/** Runs `npm run simulate` and returns what it printed, whether it succeeded or failed. */
function simulate(...args: string[]): Promise<string> {
  const program = ['--conditions=@notewire/source', 'tests/receiving-simulator/main.ts', ...args]
  return run(process.execPath, program, WORKSPACE).catch((error: Error) => error.message)
}

describe.concurrent('receivers on many instances', () => {
  it.each(['memory', 'sqlite'] as const)(
    `keep every promise in ${HISTORIES} histories on the %s store`,
    async (store) => {
      // Outside the proof, the same in every run, so that a failure is caused by the change.
      const seed = isProof ? randomInt(2 ** 31) : 2026
      const { found, tally } = await explore(simulator, { store, seed, histories: HISTORIES })
      if (found !== undefined) {
        expect.fail(
          `${found.violation}\nThe same again: ${replayCommand(simulator, { seed, history: found.history, store })}`,
        )
      }
      // If an event or a fault hardly ever happened, the histories would prove little about it.
      const inTransactions = store === 'sqlite' ? IN_TRANSACTIONS : []
      for (const event of [...EVERYTHING, ...inTransactions])
        expect(tally[event], `${event}, seed ${seed}`).toBeGreaterThan(HISTORIES / 100)
    },
  )
})

const EVERYTHING = [
  ...['applied', 'unhandled', 'duplicate', 'stale', 'busy', 'failed', 'store-failed', 'claim-lost', 'closing'].map(
    (status) => `outcome: ${status}`,
  ),
  ...['crash', 'freeze', 'storeError', 'slowStore', 'slowHandler', 'failingHandler', 'lostAnswer'].map(
    (fault) => `fault: ${fault}`,
  ),
  ...['renewal: renewed', 'renewal: lost', 'commit: lost', 'forget: forgotten'],
]

const IN_TRANSACTIONS = ['new', 'duplicate', 'stale']
  .map((status) => `look: ${status}`)
  .concat('transaction: committed')

describe('a history', () => {
  it.each(['memory', 'sqlite'])('on the %s store is repeatable, and is printed step by step', async (store) => {
    const args = ['--seed', '123', '--history', '45', '--store', store]
    const [first, second] = await Promise.all([simulate(...args), simulate(...args)])
    expect(first).toMatch(/service {5}sends .*\n(.*\n)+Every promise was kept\.\n$/)
    expect(second).toBe(first)
  })

  it('that breaks a promise breaks it again when it is repeated', async () => {
    const bug = 'release without token'
    const { found } = await explore(simulator, { store: 'sqlite', seed: 1, histories: BOUND, bug })
    const args = ['--seed', '1', '--history', String(found?.history), '--store', 'sqlite', '--bug', bug]
    expect(await simulate(...args)).toContain(`\n\n${found?.violation}`)
  })
})

describe('a history that does not end', () => {
  it.each(['memory', 'sqlite'] as const)('breaks a promise on the %s store', async (store) => {
    const exploration = { store, seed: 1, histories: 1, bug: 'renewal that never ends' }
    expect((await explore(simulator, exploration)).found?.violation).toBe('It never comes to rest.')
  })

  it('is named if it blocks its thread', async () => {
    const blocking = 'export const simulator = { loadPlayer: async () => async () => { for (;;); } }'
    const blocked = { ...simulator, module: `data:text/javascript,${blocking}` }
    await expect(explore(blocked, { store: 'memory', seed: 7, first: 3, histories: 9 }, 5_000)).rejects.toThrow(
      'A history has not ended after 5000 ms: npm run simulate -- --seed 7 --history 3 --store memory',
    )
  })
})

describe.concurrent('the simulator finds the planted bug', IN_PROOF, () => {
  it.each(simulator.plantedCases)('$name, in the $store store', async (planted) => {
    const { found } = await findAgain(simulator, planted)
    expect(found?.violation, `not within ${BOUND} histories`).toBeDefined()
  })
})

it('each planted bug fits the code', () => {
  expect(misfitsOf(simulator)).toEqual([])
})

it('tests/receiving-simulator/README.md lists every planted bug', () => {
  const page = readFileSync(join(WORKSPACE, 'tests/receiving-simulator/README.md'), 'utf8')
  for (const { name } of plantedBugs)
    expect(page, 'out of date: run `npm run simulate -- --planted`').toContain(`| ${name} |`)
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run, WORKSPACE } from '../scripts/run.ts'
import { simulator as laggingSimulator } from './mirror-simulator/lagging-simulator.ts'
import { plantedBugs } from './mirror-simulator/planted-bugs.ts'
import { plantedByLag } from './mirror-simulator/planted-lag-bugs.ts'
import { simulator } from './mirror-simulator/simulator.ts'
import { replayCommand } from './simulation/exploration.ts'
import { explore } from './simulation/explore.ts'
import { misfitsOf } from './simulation/plant.ts'
import { BOUND, findAgain } from './simulation/planted-search.ts'
import { IN_PROOF, isProof } from './test-run.ts'

/** Runs `npm run simulate:mirror` and returns what it printed, whether it succeeded or failed. */
function simulate(...args: string[]): Promise<string> {
  const program = [
    '--conditions=@notewire/source',
    '--disable-warning=ExperimentalWarning',
    'tests/mirror-simulator/main.ts',
  ]
  return run(process.execPath, [...program, ...args], WORKSPACE).catch((error: Error) => error.message)
}

// The same in every run, so that a failure is caused by the change. `npm run simulate:mirror` draws another seed each time.
const SEED = 2026
const LAGGING_HISTORIES = isProof ? 3_000 : 300

describe.concurrent('mirrors in one store', () => {
  it.each([
    ['memory', isProof ? 9_000 : 250],
    ['sqlite', isProof ? 1_000 : 120],
  ] as const)('have no violation, in the %s store in %i histories', async (store, histories) => {
    const seed = SEED
    const { found, tally } = await explore(simulator, { store, seed, histories })
    if (found !== undefined) {
      expect.fail(`${found.violation}\nTo replay: ${replayCommand(simulator, { seed, history: found.history, store })}`)
    }
    // Histories with few events would prove little.
    for (const event of EVERYTHING) expect(tally[event], event).toBeGreaterThan(histories / 100)
  })
})

it('two processes with different clocks do not take the lease from each other for ever', async () => {
  const { found } = await explore(simulator, { store: 'memory', seed: 1, first: 2914, histories: 1 })
  expect(found).toBeUndefined()
})

describe('mirrors of a service with lagging replicas that is restored in the end', () => {
  it(`have no violation, in ${LAGGING_HISTORIES} histories`, async () => {
    const exploration = { store: 'memory', seed: SEED, histories: LAGGING_HISTORIES } as const
    const { found, tally } = await explore(laggingSimulator, exploration)
    if (found !== undefined) {
      const again = replayCommand(laggingSimulator, { ...exploration, history: found.history })
      expect.fail(`${found.violation}\nTo replay: ${again}`)
    }
    for (const event of LAG) expect(tally[event], event).toBeGreaterThan(exploration.histories / 100)
  })
})

const LAG = ['fault: laggingAnswer', 'the service is restored', 'contradictions']

const EVERYTHING = [
  ...['begins', 'ends', 'edits', 'deletes', 'moves', 'records', 'gets'].map((act) => `act: ${act}`),
  ...['full-listing', 'sync', 'poll', 'settle', 'run', 'with another key'].map((job) => `job: ${job}`),
  ...['crash', 'freeze', 'storeError', 'slowStore', 'refusal', 'reset', 'silence', 'truncation', 'slowAnswer'].map(
    (fault) => `fault: ${fault}`,
  ),
  ...[
    'unusableRecord',
    'forgottenCursor',
    'staleAnswer',
    'emptyList',
    'denial',
    'lostEvent',
    'repeatedEvent',
    'earlyEvent',
  ].map((fault) => `fault: ${fault}`),
  ...['added', 'content', 'hidden', 'removed', 'restored'].map((change) => `change: ${change}`),
  ...['commit: committed', 'commit: conflict', 'an answer arrives after a full listing', 'content fails'],
]

describe('a history', () => {
  it.each(['memory', 'sqlite'])('in the %s store is the same in each replay, with a log', async (store) => {
    const again = ['--seed', '123', '--history', '45', '--store', store]
    const [first, second] = await Promise.all([simulate(...again), simulate(...again)])
    expect(first).toMatch(/owner {7}begins .*\n(.*\n)+Every promise was kept\.\n$/)
    expect(second).toBe(first)
  })

  it.each(['memory', 'sqlite'] as const)('that does not end is a violation, in the %s store', async (store) => {
    const { found } = await explore(simulator, { store, seed: 1, histories: 1, bug: 'a copy that is listed for ever' })
    expect(found?.violation).toMatch(/^It makes more than \d+ calls of the store\.$/)
  })

  it('with a violation has the same violation in a replay', async () => {
    const bug = 'an older record over a newer row'
    const { found } = await explore(simulator, { store: 'memory', seed: 1, histories: BOUND, bug })
    const again = ['--seed', '1', '--history', String(found?.history), '--bug', bug]
    expect(await simulate(...again)).toContain(`\n\n${found?.violation}`)
  })
})

describe.concurrent('the simulator finds', IN_PROOF, () => {
  it.each(simulator.plantedCases)('$name', async (planted) => {
    const { found } = await findAgain(simulator, planted)
    expect(found?.violation, `not within ${BOUND} histories`).toBeDefined()
  })

  it.each(laggingSimulator.plantedCases)('$name, with lagging replicas', async (planted) => {
    const { found } = await findAgain(laggingSimulator, planted)
    expect(found?.violation, `not within ${BOUND} histories`).toBeDefined()
  })
})

it('each planted bug fits the code', () => {
  expect([...misfitsOf(simulator), ...misfitsOf(laggingSimulator)]).toEqual([])
})

it('the page of the proof lists every planted bug', () => {
  const page = readFileSync(join(WORKSPACE, 'tests/mirror-simulator/README.md'), 'utf8')
  for (const { name } of [...plantedBugs, ...plantedByLag])
    expect(page, 'out of date: run `npm run simulate:mirror -- --planted`, which takes hours').toContain(`| ${name} |`)
})

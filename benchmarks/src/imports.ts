import { run } from '../../scripts/run.ts'
import { mergeOtherEntries } from './main-entries.ts'
import { mediansTurnByTurn } from './measure.ts'
import { type Entry, peerEntry, publishedEntries } from './published-entries.ts'
import type { Table } from './report.ts'

const ROUNDS = 9
const PEERS = ['ky', 'standardwebhooks', 'svix', 'stripe', '@octokit/webhooks-methods']

/** The limit of the processor time of an import, in milliseconds, without ky. */
const IMPORT_BUDGET_MS = 25
/** The import of ky creates the first `Request` of the process. Every other client pays for that in its first call. */
const WITH_KY = ['@notewire/client', '@notewire/mirror']

/** Measures the processor time of each import. The packages must have been built. */
export async function measureImports(): Promise<readonly Table[]> {
  const ours = await publishedEntries()
  const entries = [...ours, ...PEERS.map(peerEntry)]
  const milliseconds = await mediansTurnByTurn(
    Object.fromEntries(entries.map((entry) => [entry.name, () => importMs(entry)])),
    ROUNDS,
  )
  const ky = milliseconds['ky'] ?? Number.NaN
  return [
    {
      title: 'How long does an import take?',
      unit: 'ms',
      note: 'Processor time in a fresh process, with all dependencies. The client and the mirror import ky, whose time is part of their aim.',
      rows: mergeOtherEntries(
        Object.entries(milliseconds).map(([name, value]) => {
          const budget = IMPORT_BUDGET_MS + (WITH_KY.includes(name) ? ky : 0)
          return PEERS.includes(name) ? { name, value } : { name, value, budget }
        }),
        (name) => PEERS.includes(name),
      ),
    },
  ]
}

/**
 * Imports an entry in a separate process, after an empty module, which pays the cost of a first import.
 *
 * @returns the processor time of all threads. It is close to the elapsed time on an idle machine, and hardly larger on a busy one.
 */
async function importMs({ name, folder }: Entry): Promise<number> {
  const program = `
    await import('data:text/javascript,')
    const before = process.cpuUsage()
    await import('${name}')
    const { user, system } = process.cpuUsage(before)
    console.log((user + system) / 1000)`
  return Number(await run(process.execPath, ['--input-type=module', '--eval', program], folder))
}

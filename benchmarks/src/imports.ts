import { run } from '../../scripts/run.ts'
import { mediansTurnByTurn } from './measure.ts'
import { type Entry, peerEntry, publishedEntries } from './published-entries.ts'
import type { Table } from './report.ts'

const ROUNDS = 25
const PEERS = ['ky', 'standardwebhooks', 'svix', 'stripe', '@octokit/webhooks-methods']

/** How much processor time importing an entry may take, in milliseconds, without that of ky. */
const IMPORT_BUDGET_MS = 25
/** ky makes the first `Request` of the process, which every client makes with its first call. */
const WITH_KY = ['@notewire/client', '@notewire/mirror']

/** Processor time of importing each entry. The packages must have been built. */
export async function measureImports(): Promise<readonly Table[]> {
  const ours = await publishedEntries()
  const entries = [...ours, ...PEERS.map(peerEntry)]
  const milliseconds = await mediansTurnByTurn(
    Object.fromEntries(entries.map((entry) => [entry.name, () => importMs(entry)])),
    ROUNDS,
  )
  const ky = milliseconds['ky'] ?? Number.NaN
  const receiver = milliseconds['@notewire/webhooks'] ?? Number.NaN
  return [
    {
      title: 'Processor time to import',
      unit: 'ms',
      note: 'The built code with its dependencies, in fresh processes that have imported an empty module before. On an idle machine, hardly less time passes. Ratios to @notewire/webhooks.',
      rows: Object.entries(milliseconds).map(([name, value]) => {
        const row = { name, value, ratio: value / receiver }
        const budget = IMPORT_BUDGET_MS + (WITH_KY.includes(name) ? ky : 0)
        return PEERS.includes(name) ? row : { ...row, name: `notewire: ${name}`, budget }
      }),
    },
  ]
}

/**
 * Imports an entry in a process of its own, after an empty module, whose cost is that of any first import.
 *
 * @returns the processor time of all its threads: nearly what passes on an idle machine, and hardly more on a busy one
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

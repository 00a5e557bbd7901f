import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WORKSPACE } from '../../scripts/run.ts'
import { BOUND } from '../simulation/planted-search.ts'
import { writePlantedTable } from '../simulation/planted-table.ts'
import { simulator } from './simulator.ts'

const SEEDS = [1, 2, 3, 4, 5] as const

/** Looks for every planted bug by several seeds, and writes `tests/receiving-simulator/README.md`. */
export async function writeProofPage(): Promise<void> {
  await writeFile(
    join(WORKSPACE, 'tests/receiving-simulator/README.md'),
    pageOf(await writePlantedTable(simulator, SEEDS)),
  )
}

function pageOf(table: string): string {
  return `# How the receiver is tested

\`npm run simulate -- --planted\` writes this page. The tests of the stores use real servers and kill processes; this page is about the simulator.

The simulator plays random histories: two to four instances with a load balancer share one store. It compares everything that happens with the
guarantees in [Delivery semantics](../../docs/receiving/delivery-semantics.md). The receivers and the stores are the published code. The service, the
network, the queue, the handlers and the clocks are simulated. One seed determines when each step happens, in which order, and what fails. CI plays
300 histories with each of \`memoryStore\` and \`sqliteStore\`, and \`npm run proof\` plays 10,000. If a history breaks a guarantee, the simulator
prints the command that plays the history again, and describes it line by line:

\`\`\`sh
npm run simulate                                            # new histories
npm run simulate -- --seed 123 --history 45 --store sqlite  # one history, step by step
\`\`\`

## What happens in a history

- **Events.** The service sends all four kinds of events about notes of two integrations, with equal ids in both. It also sends unknown kinds,
  kinds without a handler, and events about the endpoint. Events arrive in any order of their revisions and times. Several events and deletions
  have the same revision, some deletions have none, each event arrives up to three times, and some times are invalid.
- **Retries.** The service retries after 30 s, 5 min, 30 min and so on, seven attempts in all, until it receives a 2xx. It never sends an
  acknowledged event again. In a third of the histories, a queue calls \`process\` instead. It sets no time limit, and gives stalled jobs to a
  second worker.
- **Processes.** A process crashes at any call of the store, or in a handler before or after its effect. A process is frozen for up to a minute.
  A deployment stops a process, and kills it if it does not end. Clocks differ by up to ten minutes.
- **The store.** A call fails before or after its effect, takes effect up to a minute after it failed, or takes seconds.
- **Handlers** take up to 45 s, longer than the time limit of 8 s and the lease. They throw before or after their effect. They write before the
  commit or, in a quarter of the histories with SQLite, in a transaction that the receiver opens.
- **Operations.** Events are replayed with \`receiver.forget\`, and the store is pruned. All values of \`revisionGate\` are used.

## What the simulator checks

- An acknowledged event was applied, or has no handler, or was stale by the rule of the revision gate at some moment of the attempt.
- At the end, each event was acknowledged within its seven attempts, each receiver has closed, and each note has its newest revision. The note is
  deleted if a deletion was sent at that revision or without one, unless an event that occurred later was applied.
- Two handlers never run for the same note while both have an unexpired lease.
- In a transaction of the receiver, no event is applied twice. With leases, an event is applied twice only after a crash, a failed handler, a lost
  claim, or a failure of the store between the effect and the commit.
- A handler never receives an event that the revision gate rejects, given the revisions already processed.
- A worker can neither renew nor commit a claim that another worker has taken over. A claim does not expire while its handler runs, unless the
  process was frozen or the store was slow or unreachable.
- At the end, the database contains exactly the rows that were written.

## Planted bugs

Each planted bug changes a few lines of the published code (\`tests/receiving-simulator/planted-bugs.ts\`). The last two columns say after how many
histories the simulator found the bug, with ${SEEDS.length} seeds. \`npm run proof\` plants each bug again, and fails if the simulator does not find it within ${BOUND}
histories.

${table}
`
}

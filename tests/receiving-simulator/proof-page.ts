import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WORKSPACE } from '../../scripts/run.ts'
import { BOUND } from '../simulation/planted-search.ts'
import { writePlantedTable } from '../simulation/planted-table.ts'
import { simulator } from './simulator.ts'

const SEEDS = [1, 2, 3, 4, 5] as const

/** Looks for every planted bug by several seeds, and writes `docs/receiving-proof.md`. */
export async function writeProofPage(): Promise<void> {
  await writeFile(join(WORKSPACE, 'docs/receiving-proof.md'), pageOf(await writePlantedTable(simulator, SEEDS)))
}

function pageOf(table: string): string {
  return `# How the receiver is proven

Written by \`npm run simulate -- --planted\`; what is proven by real servers and killed processes stands in the tests of the stores.

A simulator plays whole histories of two to four instances behind a load balancer, on one shared store, and holds everything
that happens against what is promised. The receivers and the stores in it are the published code; the service, the network, the
queue, the handlers and the clocks are models. One number decides everything: when each step happens, in which order, and what
goes wrong. CI plays 300 histories over each of \`memoryStore\` and \`sqliteStore\`, and \`npm run proof\` 10,000. One that breaks a
promise prints the command that plays it again, and tells it line by line:

\`\`\`sh
npm run simulate                                            # new histories
npm run simulate -- --seed 123 --history 45 --store sqlite  # one of them, in words
\`\`\`

## What happens in a history

- Events of all four kinds about notes of two integrations, with equal ids in both; unknown kinds, kinds without a handler, events about the endpoint.
  Revisions and times arrive in any order, several events and deletions at one revision, each event up to three times; some times cannot be read.
- The service sends again after 30 s, 5 min, 30 min, … until it sees a 2xx, seven times in all; after a 2xx never again. In a third
  of the histories a queue asks \`process\` instead, waits without end, and gives stalled jobs to a second worker.
- A process crashes at any call of the store, or in a handler, before or after its effect; stands still for up to a minute; is
  stopped by a deployment, or killed when it does not stop. Clocks are off by up to ten minutes.
- A call of the store fails before its effect, or after it, or takes effect up to a minute after it has failed; or takes seconds.
- Handlers take up to 45 s, longer than deadline and lease; throw before or after their effect; roll their transaction back
  without an error. They write before the commit, or in one transaction with it (on SQLite, a real one).
- Events are replayed with \`receiver.forget\`, and the store is pruned. All modes of the revision gate.

## What is held against it

- An event that is acknowledged was applied; or superseded, by the rule of the revision gate, by what had been applied at some moment of
  the attempt; or has no handler.
- In the end every event is acknowledged within its seven attempts, every receiver closes, and each note has reached its
  newest revision. It is deleted if a deletion was sent at that revision, unless an event that occurred later was applied.
- Never are two handlers at work on one note, both under a lease that has not run out.
- With \`context.commit\` nothing is applied twice. Without it, only after a crash, a handler that failed, a claim that was lost
  or a store that failed between the effect and the commit.
- A handler never receives an event that the revision gate rejects, given the revisions already processed.
- A claim that another worker has taken over can neither be renewed nor committed. One whose handler is at work does not run out,
  unless its process stood still, or the store was slow or away.
- What is in the database in the end is what was written, row by row.

## Planted bugs

What the simulator does not find it proves nothing about. Each of these is the published code with a few lines changed
(\`tests/receiving-simulator/planted-bugs.ts\`). The numbers say how many histories it took, by ${SEEDS.length} seeds; CI looks for each again, and
fails when one is not found within ${BOUND}.

${table}

## What it has found

- A handler called \`context.commit\`, and its transaction was rolled back without an error. If another worker had claimed the event
  meanwhile, the receiver counted the event as applied, and it was lost. The processor now asks the store whether the event is
  committed; the mistake is the last of the planted bugs.
`
}

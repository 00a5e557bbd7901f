import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WORKSPACE } from '../../scripts/run.ts'
import { BOUND } from '../simulation/planted-search.ts'
import { writePlantedTable } from '../simulation/planted-table.ts'
import { simulator as laggingSimulator } from './lagging-simulator.ts'
import { simulator } from './simulator.ts'

const SEEDS = [1, 2, 3] as const

/** Looks for every planted bug by several seeds, and writes `docs/mirror/proof.md`. */
export async function writeProofPage(): Promise<void> {
  const table = await writePlantedTable(simulator, SEEDS)
  const laggingTable = await writePlantedTable(laggingSimulator, SEEDS)
  await writeFile(join(WORKSPACE, 'docs/mirror/proof.md'), pageOf(table, laggingTable))
}

function pageOf(table: string, laggingTable: string): string {
  return `# How the mirror is proven

Written by \`npm run simulate:mirror -- --planted\`; what is proven by real servers and killed processes stands in the tests of the stores.

A simulator plays whole histories of one to three processes that keep one mirror, and holds everything that the mirror shows, at every
moment, against what is true. The mirror, its stores, the client and the receiver in it are the published code, and the other side is
the mock service; the network, the post, the clocks and the deaths of processes are models. One number decides everything: what the owner
does, when each request leaves, is answered and arrives, when each call of the store takes effect, and what goes wrong. CI plays 300
histories, the same in each run, and \`npm run proof\` 10,000; the first command below draws new ones. One that breaks a promise prints the command that plays it again, line by line:

\`\`\`sh
npm run simulate:mirror                                            # new histories
npm run simulate:mirror -- --histories 1000000                     # many
npm run simulate:mirror -- --seed 123 --history 45 --store sqlite  # one of them, in words
npm run simulate:mirror-lag                                        # new histories of a service whose replicas lag
\`\`\`

## What happens in a history

- The owner records notes, ends sessions, edits, deletes, moves notes out of the key's sight and back at the same revision, within
  a read, within a scan, before and after the events. Summaries come by themselves, events of edits after a while.
- Between any two of these, processes list, poll, scan, read what is due, or run; hear events; and somebody reads the feed, from
  wherever they stopped.
- Events are lost, repeated, late by up to a day, and in any order; or come before reads show what they tell of.
- Requests and answers take their time, up to half a minute, so that a world that is long gone arrives after the present one; listings
  go over many pages while the world changes. 429, 5xx, 401 and 403 for a while, broken connections before and after the answer, no
  answer at all, half an answer, an empty list, records that lag behind.
- A process dies before or after any call of the store; or stands still, for longer than any lease. A call of the store fails
  before its effect, or after it, or takes effect long after it has failed. Clocks are off by up to ten minutes.
- Every "must also work when" of the open points that concerns reading: names and absence of fields, tombstones of markers alone, empty
  pages, cursors that expire or repeat, coarse timestamps, inclusive comparison, no operation for one note, revisions that a summary or a
  deletion does not raise, content without a revision, other orders of events.

## Replicas that lag, and a restored service

\`npm run simulate:mirror-lag\` plays histories of a service with one to three replicas that lag by up to 30 s. A replica is the whole mock
service again, to which everything happens later: each request (a read, a listing, content) is answered by the service or by one of the
replicas. In the end the service is restored from a backup of any earlier time. What is held against the mirror then:

- A note that is gone is shown by nothing once the event of it was acknowledged, whatever a replica answers, until it has come back.
- Content that counts as settled belongs to the revision that is shown, or to a later one where the service does not tell its revision.
- Once the lag is over, a poll and a scan bring everything right, as without lag.
- After the restoration, contradictions are counted and the mirror does not call itself right. Every note follows the service when the
  patience is spent, but for notes whose deletion was announced; these follow with a scan that begins a day later.

A replica that lags may answer 404 for a note that is younger than its lag: such a note may be removed and come back.

## What is held against it

- A note that was in sight ever since the mirror showed it is never removed, nor hidden without an event.
- A note whose removal was settled is not shown again unless it came back. Once the event is acknowledged, a note that is said to be
  gone is shown by nothing, not even the search, until a read that left later has found it. What is gone is erased.
- No note goes back in revision. A transcript or summary that counts as settled belongs to the revision that is shown.
- When nothing goes wrong any more, \`settle()\` alone brings every note right whose last event was acknowledged; a poll, every note
  that never moved; a scan, everything: the mirror equals what the key can see, field by field, and has counted right.
- Whoever follows the feed, from any position, by whichever process, ends with the same notes and the same content.
- Nothing is thrown but documented errors; nothing hangs, and nothing goes on for ever.

## Planted bugs

What the simulator does not find it proves nothing about. Each of these is the published code with a few lines changed
(\`tests/mirror-simulator/planted-bugs.ts\`). The numbers say how many histories it took, by ${SEEDS.length} seeds; CI looks for each again, and
fails when one is not found within ${BOUND}.

${table}

Each of these is looked for where replicas lag (\`tests/mirror-simulator/planted-lag-bugs.ts\`):

${laggingTable}

## What it has found

While the mirror was written, in its own code, each mended since and most of them tests of their own now:

- A hint whose writing was slow took the place of a later one, so that a read from before the later event showed the note again.
- Content that was not there was never asked for again where no status tells that it came.
- A tombstone at an unchanged revision confirmed the content that had just been read; a note that had left was settled without its content.
- A note that an event had hidden was shown again by an older read, and went back in revision.
- A summary that was missing at the next revision counted as missing at this one.
- An update that was no news was dropped while a read from before it was about to remove the note: the event that brought it back was lost.
- A loop over the feed did not tell that a note had vanished that it had told of itself.
- In the mock service, fractions of milliseconds broke cursors; in the client, one race had every note read from listings for ever.
`
}

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WORKSPACE } from '../../scripts/run.ts'
import { BOUND } from '../simulation/planted-search.ts'
import { writePlantedTable } from '../simulation/planted-table.ts'
import { simulator as laggingSimulator } from './lagging-simulator.ts'
import { simulator } from './simulator.ts'

const SEEDS = [1, 2, 3] as const

/** Looks for every planted bug by several seeds, and writes `tests/mirror-simulator/README.md`. */
export async function writeProofPage(): Promise<void> {
  const table = await writePlantedTable(simulator, SEEDS)
  const laggingTable = await writePlantedTable(laggingSimulator, SEEDS)
  await writeFile(join(WORKSPACE, 'tests/mirror-simulator/README.md'), pageOf(table, laggingTable))
}

function pageOf(table: string, laggingTable: string): string {
  return `# How the mirror is tested

[Consistency of the mirror](../../docs/mirror/guarantees.md) lists what the mirror guarantees. Three kinds of tests check the guarantees: tests of single assumptions,
tests that kill real processes and database servers, and a simulator. \`npm run simulate:mirror -- --planted\` writes this page.

## Tests of the assumptions

| assumption | tests |
| --- | --- |
| The revision of a note never decreases. | ["content is the highest revision"](../../packages/mirror/src/rules/read-rule.test.ts), ["a service that was restored"](../../packages/mirror/src/lagging-service.test.ts) |
| A response shows the state at most 30 s before the request. | ["an answer that lags behind an event"](../../packages/mirror/src/rules/read-rule.test.ts) |
| A full listing shows every note that is visible during the whole listing. | ["a full listing"](../../packages/mirror/src/mirror.test.ts), ["a full listing of a mirror"](../../packages/mirror/src/stores/postgres/held-removals.test.ts) |
| For a note that the key cannot see, the service answers 404 or a tombstone. | ["a service without an operation for single notes"](../../packages/mirror/src/listing/missing-notes.test.ts) |
| The database keeps what it has committed. | processes and servers that are killed, with [SQLite](../../packages/mirror/src/stores/sqlite/many-processes.test.ts) and [PostgreSQL](../../packages/mirror/src/stores/postgres/many-workers.test.ts) |
| Another API key is rejected. | [\`another-key.test.ts\`](../../packages/mirror/src/another-key.test.ts) |

## The simulator

The simulator plays *histories*. In each history, one to three processes keep one mirror, and the simulator compares everything that the mirror
returns with the true state of the service after every step. It runs the published code of the mirror, its stores, the client, the receiver and the
mock server. The network, the delivery of events, the clocks and the crashes of processes are simulated. One seed determines all of it: the acts of
the owner, the times of requests, responses and store operations, and the failures.

CI plays the same 300 histories in each run, and \`npm run proof\` plays 10,000, and 3,000 with lagging replicas. The first command below plays new
ones. If a history violates a guarantee, the simulator prints the command that repeats it.

\`\`\`sh
npm run simulate:mirror                                            # new histories
npm run simulate:mirror -- --histories 1000000                     # many
npm run simulate:mirror -- --seed 123 --history 45 --store sqlite  # one of them, step by step
npm run simulate:mirror-lag                                        # new histories of a service whose replicas lag
\`\`\`

### Contents of a history

- **The owner** records notes, ends sessions, and edits and deletes notes. The owner also moves notes to a place that the key cannot see, and back, at
  the same revision. All of this happens during reads and full listings, and before and after events. Summaries become ready later. Events of edits arrive
  later.
- **Processes** list, poll, list all notes, read due notes, call \`run\`, and receive events between any two acts. A reader follows the change feed from its last
  position.
- **Events** are lost, duplicated, reordered, up to a day late, or arrive before reads show the change.
- **Requests and responses** take up to half a minute, so that a stale response arrives after a newer one. The notes change between the pages of a
  listing. The service answers 429, 5xx, 401 or 403 for a while, or sends half a response, an empty list or a stale record. Connections break before
  and after the response, or there is no response. Some responses arrive only after a whole full listing that began and ended meanwhile.
- **Processes** die before or after any store operation, or freeze for longer than any lease. A store operation fails before or after its effect, or
  takes effect long after it has failed. Clocks are wrong by up to ten minutes.
- **Open points of the contract** that concern reading: other field names, absent fields, tombstones with few fields, empty pages, expired,
  forgotten or repeated cursors with every status that a service may answer, coarse timestamps, an inclusive \`updated_after\`, and no operation for one note. Summaries and deletions may keep the revision, content may
  lack a revision, and events may have another order.

### Checked guarantees

- A note that stayed visible to the key is never removed, and is hidden only by an event.
- A note whose removal was confirmed is shown again only if it became visible again. After a deletion event is acknowledged, no method returns the
  note, not even the search, until a read that was sent later finds it. Removed notes are erased.
- The revision of a note never decreases. A settled transcript or summary belongs to the revision that is shown.
- After all failures end, \`settle()\` alone corrects every note whose last event was acknowledged. A poll also corrects every note that did not move. A
  full listing corrects everything: the mirror equals what the key can see, field by field, and \`status()\` counts correctly.
- A reader that follows the change feed, from any position and in any process, ends with the same notes and content. If the copy is
  restored from a backup, \`changes\` rejects a position that the copy has lost, and a full listing corrects the copy.
- Only documented errors are thrown. No call hangs or runs forever.

### Lagging replicas and a restored service

\`npm run simulate:mirror-lag\` plays histories of a service with one to three replicas that lag by up to 30 s. A replica is another mock server that
receives every change later. The service or a replica answers each request (read, listing or content). At the end of the history, the service is
restored from a backup of any earlier time. The simulator then checks:

- After a deletion event is acknowledged, no method returns the note until it becomes visible again, whatever a replica answers.
- Settled content belongs to the revision that is shown, or to a later one if the service does not send the revision.
- After the lag ends, a poll and a full listing correct everything, as without lag.
- After the restoration, \`status()\` counts the contradictions, and \`correctAsOf\` is \`null\`. After the attempts that the mirror makes before it accepts
  a lower revision, every note equals the service. Notes whose deletion was announced follow with a full listing that begins a day later.

A lagging replica may answer 404 for a note that is younger than the lag: the mirror may remove such a note and add it again.

## Planted bugs

The planted bugs show which mistakes the simulator finds. Each one changes a few lines of the published code
(\`tests/mirror-simulator/planted-bugs.ts\`). The last two columns say after how many histories the simulator found the bug, with ${SEEDS.length} seeds.
\`npm run proof\` plants each bug again, and fails if the simulator does not find it within ${BOUND} histories.

${table}

These bugs are planted with lagging replicas (\`tests/mirror-simulator/planted-lag-bugs.ts\`):

${laggingTable}

## Bugs that the simulator found

The simulator found these bugs in this project's own code while the mirror was written. All are fixed, and most have their own test.

- An event that was stored slowly replaced a later event, so that a read from before the later event showed the note again.
- The mirror did not fetch missing content again if no status said that it had become ready.
- A tombstone at an unchanged revision confirmed content that had just been read: a note that was no longer visible was settled without its content.
- An older read showed a note again that an event had hidden, at a lower revision.
- A summary that was missing at the next revision counted as missing at the current one.
- The mirror dropped an event whose revision was not newer while an earlier read was about to remove the note. The note had become visible again, and
  the mirror removed it.
- A loop over the change feed did not report the removal of a note that it had reported itself.
- In the mock server, fractions of milliseconds broke cursors. In the client, a race made every read use the list from then on.
`
}

import type { Mirror, MirroredNote } from '@notewire/mirror'
import type { Note } from '@notewire/protocol'
import { readGroundTruth } from './ground-truth.ts'
import type { HistoryContext } from './history-context.ts'
import type { Instance } from './instance.ts'

/** Longer than the eight and a half minutes after which the mirror accepts a lower revision. */
const ACCEPTED_AFTER_MS = 15 * 60_000
const DAY_MS = 24 * 60 * 60_000

interface Participants {
  readonly instance: Instance
  readonly mirror: Mirror
}

/**
 * Restores the service from a backup: revisions decrease, and deleted notes exist again. The mirror must count the contradictions that it has seen,
 * must not report `correctAsOf` meanwhile, and must converge in the end.
 */
export async function restore(context: HistoryContext, { instance, mirror }: Participants): Promise<void> {
  const { world, checker, schedule, chronicle, random } = context
  const { backup } = world
  if (backup === undefined) return
  await backup.restoreTo(random.integer(Date.parse('2026-01-01T09:00:00.000Z'), schedule.now), schedule.now)
  chronicle.tell('operator', 'restores the service from a backup')
  chronicle.count('the service is restored')
  checker.isPaused = true
  world.restored = backup

  const { records } = await readGroundTruth(context, backup)
  const contradicted = await contradictedBy(records, mirror)
  await instance.mirror.sync({ fullListing: 'now' })
  await checkContradictionsCounted(contradicted > 0, 'right after it was restored', context, mirror)
  if (contradicted > 0) chronicle.count('contradictions')

  await settleFor(ACCEPTED_AFTER_MS, context, instance)
  const refused = await compare(records, context, mirror, 'its retries')
  await checkContradictionsCounted(refused > 0, 'though it refuses records', context, mirror)

  await instance.process.clock.sleep(DAY_MS)
  await instance.mirror.sync({ fullListing: 'now' })
  await settleFor(ACCEPTED_AFTER_MS, context, instance)
  if ((await compare(records, context, mirror, 'a full listing a day later')) > 0)
    checker.violated('It never converges to the restored service.')
  const { contradictions, correctAsOf } = await mirror.status()
  if (contradictions > 0 || correctAsOf === null)
    checker.violated('It has converged, but its status still shows contradictions.')
}

/** Counts the notes that the mirror shows at a higher revision than the restored service. */
async function contradictedBy(records: ReadonlyMap<string, Note>, mirror: Mirror): Promise<number> {
  const shown: MirroredNote[] = []
  for await (const note of mirror.list()) shown.push(note)
  return shown.filter(({ note }) => (records.get(note.note_id)?.revision ?? note.revision) < note.revision).length
}

async function checkContradictionsCounted(
  isContradicted: boolean,
  when: string,
  { checker }: HistoryContext,
  mirror: Mirror,
): Promise<void> {
  const { contradictions, correctAsOf } = await mirror.status()
  if (!isContradicted || (contradictions > 0 && correctAsOf === null)) return
  checker.violated(
    `It counts ${contradictions} contradictions and is correct as of ${correctAsOf?.toISOString()} ${when}.`,
  )
}

/**
 * Compares the shown notes and their revisions with the service.
 *
 * @returns the number of notes that are not shown because an event had announced their deletion
 */
async function compare(
  records: ReadonlyMap<string, Note>,
  { checker, world }: HistoryContext,
  mirror: Mirror,
  after: string,
): Promise<number> {
  let refused = 0
  for (const { id, name } of world.notes) {
    const shown = await mirror.get(id)
    const { state, reasons } = await mirror.explain(id)
    if (shown === undefined && records.has(id) && state?.floor != null) {
      refused += 1
      continue
    }
    const revision = records.get(id)?.revision
    if (shown?.note.revision === revision && shown?.isSettled !== false) continue
    checker.violated(
      `After ${after}, ${name} is shown at ${shown?.note.revision}, and is at ${revision}. ${reasons.join(' ')}`,
    )
  }
  return refused
}

/** Reads due notes for a while. */
async function settleFor(ms: number, { store }: HistoryContext, { mirror, process }: Instance): Promise<void> {
  const until = process.clock.now() + ms
  for (;;) {
    await mirror.settle()
    const now = process.clock.now()
    const { nextDueAt } = await store.readDue(mirror.integration, { dueBy: now, limit: 0 })
    if (nextDueAt === null || nextDueAt > until) return
    await process.clock.sleep(Math.max(0, nextDueAt - now) + 1)
  }
}

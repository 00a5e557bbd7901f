import type { Mirror, MirroredNote } from '@notewire/mirror'
import type { Note } from '@notewire/protocol'
import type { Instance } from './instance.ts'
import type { Stage } from './stage.ts'
import { askForTruth } from './truth.ts'

/** Longer than the patience for answers that lag, which is about eight and a half minutes. */
const PATIENCE_MS = 15 * 60_000
const DAY_MS = 24 * 60 * 60_000

/** Who is there in the end. */
interface Cast {
  readonly instance: Instance
  readonly mirror: Mirror
}

/**
 * The service is restored from a backup: revisions fall, and notes are back that were deleted. The mirror must never call itself right
 * over a contradiction that it has seen, and must follow the service in the end.
 */
export async function restore(stage: Stage, { instance, mirror }: Cast): Promise<void> {
  const { world, judge, schedule, chronicle, random } = stage
  const { backup } = world
  if (backup === undefined) return
  await backup.restoreTo(random.integer(Date.parse('2026-01-01T09:00:00.000Z'), schedule.now), schedule.now)
  chronicle.tell('operator', 'restores the service from a backup')
  chronicle.count('the service is restored')
  judge.rests = true
  world.restored = backup

  const { records } = await askForTruth(stage, backup.service)
  const contradicted = await contradictedBy(records, mirror)
  await instance.mirror.sync({ scan: 'now' })
  await refuseCertainty(contradicted > 0, 'right after it was restored', stage, mirror)
  if (contradicted > 0) chronicle.count('contradictions')

  await settleFor(PATIENCE_MS, stage, instance)
  const refused = await compare(records, stage, mirror, 'its patience')
  await refuseCertainty(refused > 0, 'though it refuses records', stage, mirror)

  await instance.life.clock.sleep(DAY_MS)
  await instance.mirror.sync({ scan: 'now' })
  await settleFor(PATIENCE_MS, stage, instance)
  if ((await compare(records, stage, mirror, 'a scan a day later')) > 0) judge.violated('It never follows the service.')
  const { contradictions, correctAsOf } = await mirror.status()
  if (contradictions > 0 || correctAsOf === null) judge.violated('It follows the service, and does not say so.')
}

/** How many notes the mirror shows at a higher revision than the service does by now. */
async function contradictedBy(records: ReadonlyMap<string, Note>, mirror: Mirror): Promise<number> {
  const shown: MirroredNote[] = []
  for await (const note of mirror.list()) shown.push(note)
  return shown.filter(({ note }) => (records.get(note.note_id)?.revision ?? note.revision) < note.revision).length
}

async function refuseCertainty(isContradicted: boolean, when: string, { judge }: Stage, mirror: Mirror): Promise<void> {
  const { contradictions, correctAsOf } = await mirror.status()
  if (!isContradicted || (contradictions > 0 && correctAsOf === null)) return
  judge.violated(
    `It counts ${contradictions} contradictions and is correct as of ${correctAsOf?.toISOString()} ${when}.`,
  )
}

/**
 * Compares which notes are shown at which revision.
 *
 * @returns how many notes are not shown because an event had announced their deletion
 */
async function compare(
  records: ReadonlyMap<string, Note>,
  { judge, world }: Stage,
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
    judge.violated(
      `After ${after}, ${name} is shown at ${shown?.note.revision}, and is at ${revision}. ${reasons.join(' ')}`,
    )
  }
  return refused
}

/** Reads what is due for a while. */
async function settleFor(ms: number, { store }: Stage, { mirror, life }: Instance): Promise<void> {
  const until = life.clock.now() + ms
  for (;;) {
    await mirror.settle()
    const now = life.clock.now()
    const { nextDueAt } = await store.takeDue(mirror.integration, { now, until: now, limit: 0 })
    if (nextDueAt === null || nextDueAt > until) return
    await life.clock.sleep(Math.max(0, nextDueAt - now) + 1)
  }
}

import { isDeepStrictEqual } from 'node:util'
import type { Mirror, MirroredNote, MirrorProgress } from '@notewire/mirror'
import { compare } from './comparison.ts'
import type { FeedReader } from './feed-reader.ts'
import type { Instance } from './instance.ts'
import { restore } from './restoration.ts'
import type { Stage } from './stage.ts'
import type { TrueNote } from './true-note.ts'
import { askForTruth, type Truth } from './truth.ts'

/** How often a note may be read again before it is settled. */
const MOST_ROUNDS = 60

/** Who is there in the end. */
interface Cast {
  readonly instance: Instance
  readonly readers: readonly FeedReader[]
  /** A mirror on the shared store itself. */
  readonly mirror: Mirror
}

/** No fault and no act follows: the mirror must converge to what the key can see. */
export async function conclude(stage: Stage, { instance, readers, mirror }: Cast): Promise<void> {
  const { world, circumstances, judge } = stage
  await world.catchUp()
  const truth = await askForTruth(stage)
  // Its listings never end, so that it can only stay as it is.
  if (circumstances.contract.repeatingCursor !== true) {
    if (circumstances.isKeyReplaced) await instance.mirror.adoptKey()
    await settle(stage, instance)
    if (areEventsTold(stage)) await compare(stage, mirror, truth, 'its events', (note) => judge.wasToldAll(note))
    await poll(stage, { instance, readers, mirror }, truth)
    await scan(stage, { instance, readers, mirror }, truth)
  }
  for (const reader of readers) await compareReader(stage, reader, mirror)
  if (circumstances.contract.repeatingCursor !== true) await restore(stage, { instance, mirror })
}

/** A change at the same revision cannot be distinguished from a record of a replica that lags. */
function areEventsTold(stage: Stage): boolean {
  const { contract, rates, lagsMs } = stage.circumstances
  // A replica may not have known the note, or not its latest statuses, when the event was followed: polls and scans tell.
  if (lagsMs.length > 0) return false
  return isContentTold(stage) && (contract.summaryRaisesRevision !== false || rates.staleAnswer === 0)
}

/** Content that comes a second after its event, with no status that says so, nothing tells of: it is found by a scan. */
function isContentTold({ circumstances: { contract } }: Stage): boolean {
  return contract.eventOrder !== 'any' || (contract.noteFields ?? 'all') === 'all'
}

/** A poll finds every change of a note, but not a note that became visible or invisible to the key. */
async function poll(stage: Stage, { instance, mirror }: Cast, truth: Truth): Promise<void> {
  // A listing that was begun before tells what was true then: it is ended first, and another begun.
  if ((await progressOf(stage, mirror)).poll.isUnderWay) await list(stage, instance, 'never')
  await list(stage, instance, 'never')
  await settle(stage, instance)
  // Who was shown empty lists takes the notes that were there for new ones, with the next scan.
  if (stage.circumstances.rates.emptyList > 0 || !isContentTold(stage)) return
  const isTold = (note: TrueNote) => !note.hasMoved && (stage.circumstances.areTombstonesListed || !note.isDeleted)
  await compare(stage, mirror, truth, 'a poll', isTold)
}

/** A scan finds everything. */
async function scan(stage: Stage, { instance, mirror }: Cast, truth: Truth): Promise<void> {
  if ((await progressOf(stage, mirror)).scan !== null) await list(stage, instance, 'now')
  let missing = 0
  for await (const { note } of mirror.list()) if (hasLeft(note.note_id, stage)) missing += 1
  await list(stage, instance, 'now')
  await settle(stage, instance)
  await compare(stage, mirror, truth, 'a scan', () => true)
  await checkStatus(stage, mirror, { seen: truth.records.size, missing })
  if (stage.circumstances.exodus > 0) await accept(stage, { instance, mirror })
}

/** What a scan has held back comes back when it is seen again, and goes when that is accepted. */
async function accept(stage: Stage, { instance, mirror }: Pick<Cast, 'instance' | 'mirror'>): Promise<void> {
  const { judge, store, world } = stage
  const { held, notes } = await mirror.status()
  if (held.length === 0) {
    if (judge.mustHold) judge.violated('So many notes were removed at once that the scan should have held them back.')
    return
  }
  if (held.reduce((sum, { notes }) => sum + notes, 0) !== notes.hidden)
    judge.violated('It does not count what is held.')
  for (const note of world.notes.filter(({ isElsewhere, isDeleted }) => isElsewhere && !isDeleted).slice(0, 3)) {
    world.moveBack(note)
  }
  await list(stage, instance, 'now')
  await settle(stage, instance)
  await compare(stage, mirror, await askForTruth(stage), 'some came back', () => true)
  for (const { scanId } of held) await instance.mirror.acceptRemovals(scanId)
  await compare(stage, mirror, await askForTruth(stage), 'the others were accepted', () => true)
  for (const { id, name } of world.notes) {
    const stored = await store.getNote(mirror.integration, id)
    if (stored?.state.presence === 'hidden') judge.violated(`${name} is still hidden after its removal was accepted.`)
  }
}

/** Whether a listing does not show it: of a note that was deleted where the key could see it, it shows the tombstone. */
function hasLeft(noteId: string, { world, circumstances }: Stage): boolean {
  const note = world.find(noteId)
  return note !== undefined && (note.isElsewhere || (note.isDeleted && !circumstances.areTombstonesListed))
}

async function progressOf({ store }: Stage, { integration }: Mirror): Promise<MirrorProgress> {
  return (await store.readProgress(integration)).progress
}

/** Lists until no other process has the lease: one that died, or whose clock is ahead. */
async function list({ judge, chronicle }: Stage, { mirror, life }: Instance, scan: 'never' | 'now'): Promise<void> {
  for (let tries = 0; tries < MOST_ROUNDS; tries += 1) {
    const { listed } = await mirror.sync({ scan })
    if (listed) return
    chronicle.count('a listing waits for another')
    await life.clock.sleep(61_000)
  }
  judge.violated('No process ever lists: another one always has the lease.')
}

/** Reads notes until none is due, now or later. */
async function settle({ judge, store }: Stage, { mirror, life }: Instance): Promise<void> {
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    await mirror.settle()
    const now = life.clock.now()
    const { nextDueAt } = await store.takeDue(mirror.integration, { now, until: now, limit: 0 })
    if (nextDueAt === null) return
    await life.clock.sleep(Math.max(0, nextDueAt - now) + 1)
  }
  judge.violated('There is always a note that is to be read again.')
}

async function checkStatus({ judge }: Stage, mirror: Mirror, expected: Counts): Promise<void> {
  const { notes, isBackfilled, lastScan, scan, correctAsOf } = await mirror.status()
  const isAtRest = isBackfilled && scan === null && correctAsOf !== null && notes.dirty + notes.unsettled === 0
  const isCounted = lastScan?.seen === expected.seen && lastScan.missing === expected.missing
  if (isAtRest && isCounted && notes.live === expected.seen) return
  const status = JSON.stringify({ notes, isBackfilled, lastScan, scan })
  judge.violated(`In the end, with ${expected.seen} notes and ${expected.missing} missing, its status is ${status}.`)
}

/** What a scan must count. */
interface Counts {
  readonly seen: number
  readonly missing: number
}

async function compareReader({ judge, world }: Stage, reader: FeedReader, mirror: Mirror): Promise<void> {
  await reader.read({ mirror, life: { dead: false } }, Number.POSITIVE_INFINITY)
  for (const { id, name } of world.notes) {
    const [shown, known] = [await mirror.get(id), reader.copy.get(id)]
    if (isDeepStrictEqual(contentOf(known), contentOf(shown))) continue
    const words = (note: MirroredNote | undefined) => (note === undefined ? 'nothing' : JSON.stringify(note))
    judge.violated(
      `${reader.name} has gone through all changes, and knows of ${name} ${words(known)}, not ${words(shown)}.`,
    )
  }
}

function contentOf(note: MirroredNote | undefined) {
  return note === undefined ? undefined : [note.note, note.transcript, note.summary]
}

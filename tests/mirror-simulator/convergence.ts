import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '@notewire/client'
import { type Mirror, MirrorError, type MirroredNote } from '@notewire/mirror'
import type { RestorableMirror } from '../../packages/mirror/fixtures/memory-mirror/memory-mirror.ts'
import { reads } from '../../packages/mirror/fixtures/store-reads.ts'
import type { MirrorProgress } from '../../packages/mirror/src/integrations/progress.ts'
import { act as actNow } from './acts.ts'
import { compare } from './comparison.ts'
import { haveContentFail } from './content-outage.ts'
import type { EventSender } from './event-sender.ts'
import type { FeedReader } from './feed-reader.ts'
import { type GroundTruth, readGroundTruth } from './ground-truth.ts'
import type { HistoryContext } from './history-context.ts'
import type { Instance } from './instance.ts'
import { haveAnswerArriveLate } from './late-answer.ts'
import type { Network } from './network.ts'
import type { NoteModel } from './note-model.ts'
import { restore } from './restoration.ts'

/** The maximum number of attempts until a note is settled, or a listing gets its lease. */
const MAX_ROUNDS = 60

/** After this time without an act, the service has made every summary. */
const SUMMARIES_READY_AFTER_MS = 60_000

interface Participants {
  readonly instance: Instance
  readonly readers: readonly FeedReader[]
  /** A mirror on the shared store itself. */
  readonly mirror: Mirror
  readonly network: Network
  readonly sender: EventSender
}

/** Checks that the mirror converges to the notes that the key can see, now that faults and acts have ended. */
export async function checkConvergence(context: HistoryContext, participants: Participants): Promise<void> {
  const { instance, readers, mirror } = participants
  const { world, scenario, checker } = context
  await world.catchUp()
  const truth = await readGroundTruth(context)
  const restoreBackup = backUpOf(context)
  // With a repeating cursor, listings never end, so the mirror cannot converge.
  if (scenario.contract.repeatingCursor !== true) {
    if (scenario.isKeyReplaced) await onceFree(() => instance.mirror.adoptKey())
    await settle(context, instance)
    if (areEventsSufficient(context))
      await compare(context, mirror, truth, 'its events', (note) => checker.hasReceivedLastEvent(note))
    await poll(context, participants, truth)
    await fullListing(context, participants, truth)
    if (scenario.massRemoval === 0 && context.random.chance(0.3))
      await fullListingBeforeLateAnswer(context, participants)
    if (scenario.massRemoval === 0 && context.random.chance(0.1)) await settleAfterOutage(context, participants)
  }
  for (const reader of readers) await compareReader(context, reader, mirror)
  if (restoreBackup !== undefined) await restoreCopy(context, participants, restoreBackup)
  else if (scenario.contract.repeatingCursor !== true) await restore(context, { instance, mirror })
}

/** Whether events alone make the mirror converge. A change at the same revision cannot be distinguished from a stale record. */
function areEventsSufficient(context: HistoryContext): boolean {
  const { contract, rates, lagsMs } = context.scenario
  // A replica may have answered the read after the event without the note or its latest statuses. Polls and full listings correct that.
  if (lagsMs.length > 0) return false
  return isContentAnnounced(context) && (contract.summaryRaisesRevision !== false || rates.staleAnswer === 0)
}

/** Whether content is announced: if it appears a second after its event and no status shows it, only a full listing finds it. */
function isContentAnnounced({ scenario: { contract } }: HistoryContext): boolean {
  return contract.eventOrder !== 'any' || (contract.noteFields ?? 'all') === 'all'
}

/** Checks that a poll finds every change of a note, except that a note became visible or invisible to the key. */
async function poll(context: HistoryContext, { instance, mirror }: Participants, truth: GroundTruth): Promise<void> {
  // A poll that was begun before is completed first, and then another poll follows.
  if ((await progressOf(context, mirror)).poll.isUnderWay) await list(context, instance, 'never')
  await list(context, instance, 'never')
  await settle(context, instance)
  // After such listings, the mirror may lack notes until the next full listing.
  if (context.scenario.rates.emptyList > 0 || context.hasUnidentifiedNote || !isContentAnnounced(context)) return
  const isTold = (note: NoteModel) => !note.hasMoved && (context.scenario.areTombstonesListed || !note.isDeleted)
  await compare(context, mirror, truth, 'a poll', isTold)
}

/** Checks that a full listing finds everything. */
async function fullListing(
  context: HistoryContext,
  { instance, mirror }: Participants,
  truth: GroundTruth,
): Promise<void> {
  if ((await progressOf(context, mirror)).fullListing !== null) await list(context, instance, 'now')
  let missing = 0
  for await (const { note } of mirror.list()) if (hasLeft(note.note_id, context)) missing += 1
  await list(context, instance, 'now')
  await settle(context, instance)
  await compare(context, mirror, truth, 'a full listing', () => true)
  await checkStatus(context, mirror, { seen: truth.records.size, missing })
  if (context.scenario.massRemoval > 0) await accept(context, { instance, mirror })
}

/** Checks that an older answer that arrives after a full listing does not undo what the full listing has set. */
async function fullListingBeforeLateAnswer(context: HistoryContext, participants: Participants): Promise<void> {
  const { instance, mirror } = participants
  const isLate = await haveAnswerArriveLate(context, participants, () => list(context, instance, 'now'))
  await settle(context, instance)
  const truth = await readGroundTruth(context)
  if (isLate) await compare(context, mirror, truth, 'an answer from before a full listing', () => true)
}

/** Checks that no note settles without its content because requests for content have failed. */
async function settleAfterOutage(context: HistoryContext, participants: Participants): Promise<void> {
  const { instance, mirror } = participants
  await haveContentFail(context, participants)
  // The checker compares the content of each note that is settled meanwhile.
  await settle(context, instance)
  await list(context, instance, 'now')
  await settle(context, instance)
  await compare(context, mirror, await readGroundTruth(context), 'an outage of content', () => true)
}

/** Checks that a note whose removal is held back is shown again if it returns, and is removed if the removal is accepted. */
async function accept(
  context: HistoryContext,
  { instance, mirror }: Pick<Participants, 'instance' | 'mirror'>,
): Promise<void> {
  const { checker, store, world } = context
  const { held, notes } = await mirror.status()
  if (held.length === 0) {
    if (checker.expectsHeldRemovals)
      checker.violated('The full listing missed so many notes that it should have held the removals back.')
    return
  }
  if (held.reduce((sum, { notes }) => sum + notes, 0) !== notes.hidden)
    checker.violated('The number of held removals is wrong.')
  for (const note of world.notes.filter(({ isElsewhere, isDeleted }) => isElsewhere && !isDeleted).slice(0, 3)) {
    world.moveBack(note)
  }
  await list(context, instance, 'now')
  await settle(context, instance)
  await compare(context, mirror, await readGroundTruth(context), 'some notes returned', () => true)
  // A full listing of which every note has returned holds no removals back any more.
  for (const { fullListingId } of (await mirror.status()).held) await instance.mirror.acceptRemovals(fullListingId)
  await compare(context, mirror, await readGroundTruth(context), 'the other removals were accepted', () => true)
  for (const { id, name } of world.notes) {
    const stored = await reads(store).getNote(mirror.integration, id)
    if (stored?.state.presence === 'hidden') checker.violated(`${name} is still hidden after its removal was accepted.`)
  }
}

/** Whether a listing does not contain the note. It contains a tombstone of a note that the key could see when it was deleted. */
function hasLeft(noteId: string, { world, scenario }: HistoryContext): boolean {
  const note = world.find(noteId)
  return note !== undefined && (note.isElsewhere || (note.isDeleted && !scenario.areTombstonesListed))
}

async function progressOf({ store }: HistoryContext, { integration }: Mirror): Promise<MirrorProgress> {
  return (await store.readProgress(integration)).progress
}

/**
 * Lists as soon as no other process has the lease: a process that died, or whose clock is ahead, may have it. The mirror needs several attempts
 * if the service has forgotten a cursor and answers 500, and waits if it has forgotten several.
 */
async function list(
  { checker, chronicle, scenario }: HistoryContext,
  { mirror, process }: Instance,
  fullListing: 'never' | 'now',
): Promise<void> {
  const mayFail = (error: unknown) =>
    (error instanceof MirrorError && error.code === 'listing_stalled') ||
    (error instanceof ApiError && error.status === 500 && scenario.cursorRefusal.status === 500)
  for (let tries = 0; tries < MAX_ROUNDS; tries += 1) {
    const report = await onceFree(() => mirror.sync({ fullListing })).catch((error: unknown) => {
      if (!mayFail(error)) throw error
      return { listed: false }
    })
    if (report.listed) return
    chronicle.count('a listing waits')
    await process.clock.sleep(61_000)
  }
  checker.violated('No process can list, because another one always has the lease.')
}

/** Calls again if another process has the lease. A crashed one whose clock is ahead has it for a minute at most, which is longer than a call waits. */
async function onceFree<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof MirrorError && error.code === 'mirror_in_use')) throw error
    return await call()
  }
}

/** Reads notes until none is due, now or later. */
async function settle({ checker, store }: HistoryContext, { mirror, process }: Instance): Promise<void> {
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
    await mirror.settle()
    const now = process.clock.now()
    const { nextDueAt } = await store.readDue(mirror.integration, { dueBy: now, limit: 0 })
    if (nextDueAt === null) return
    await process.clock.sleep(Math.max(0, nextDueAt - now) + 1)
  }
  checker.violated('A note never becomes settled.')
}

async function checkStatus({ checker }: HistoryContext, mirror: Mirror, expected: Counts): Promise<void> {
  const { notes, isBackfilled, lastFullListing, fullListing, correctAsOf } = await mirror.status()
  const isAtRest = isBackfilled && fullListing === null && correctAsOf !== null && notes.dirty + notes.unsettled === 0
  const isCounted = lastFullListing?.seen === expected.seen && lastFullListing.missing === expected.missing
  if (isAtRest && isCounted && notes.live === expected.seen) return
  const status = JSON.stringify({ notes, isBackfilled, lastFullListing, fullListing })
  checker.violated(`In the end, with ${expected.seen} notes and ${expected.missing} missing, its status is ${status}.`)
}

/** The expected counts of a full listing. */
interface Counts {
  readonly seen: number
  readonly missing: number
}

/** Makes a backup of the copy in some histories. The result restores it. */
function backUpOf(context: HistoryContext): (() => void) | undefined {
  const { store, scenario, random, integration } = context
  const { lagsMs, massRemoval, isKeyReplaced, contract } = scenario
  const isPossible = lagsMs.length + massRemoval === 0 && !isKeyReplaced && contract.repeatingCursor !== true
  if (!isPossible || !('backUp' in store) || !random.chance(0.2)) return undefined
  return (store as RestorableMirror).backUp(integration)
}

/**
 * Restores the copy from a backup, whose later life the readers have followed. A full listing must correct the copy. A reader whose position is lost
 * must be told, even if the restored feed has passed it, and must otherwise get every change.
 */
async function restoreCopy(
  context: HistoryContext,
  { instance, readers, mirror, sender }: Participants,
  restoreBackup: () => void,
): Promise<void> {
  const { checker, chronicle, world } = context
  const goOn = async (acts: number) => {
    for (let act = 0; act < acts; act += 1) await actNow(context, sender)
    await list(context, instance, 'now')
    await settle(context, instance)
  }
  checker.isPaused = true
  await goOn(2)
  for (const reader of readers) await compareReader(context, reader, mirror)
  // A summary that became ready between the full listing and the reads of its notes would be found by the next full listing only.
  await instance.process.clock.sleep(SUMMARIES_READY_AFTER_MS)
  await world.catchUp()
  chronicle.tell('operator', 'restores the copy from a backup')
  chronicle.count('the copy is restored')
  restoreBackup()
  await goOn(0)
  await compare(context, mirror, await readGroundTruth(context), 'a full listing of the restored copy', () => true)
  // The feed passes the positions of its later life.
  for (let more = 0; more < 3; more += 1) await goOn(2)
  for (const reader of readers) {
    await reader.readAfterRestoration({ mirror, process: { dead: false } })
    await compareReader(context, reader, mirror)
  }
}

async function compareReader({ checker, world }: HistoryContext, reader: FeedReader, mirror: Mirror): Promise<void> {
  await reader.read({ mirror, process: { dead: false } }, Number.POSITIVE_INFINITY)
  for (const { id, name } of world.notes) {
    const [shown, known] = [await mirror.get(id), reader.copy.get(id)]
    if (isDeepStrictEqual(contentOf(known), contentOf(shown))) continue
    const words = (note: MirroredNote | undefined) => (note === undefined ? 'nothing' : JSON.stringify(note))
    checker.violated(`${reader.name} has read all changes, and has for ${name} ${words(known)}, not ${words(shown)}.`)
  }
}

function contentOf(note: MirroredNote | undefined) {
  return note === undefined ? undefined : [note.note, note.transcript, note.summary]
}

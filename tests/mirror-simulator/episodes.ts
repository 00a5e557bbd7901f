import { act } from './acts.ts'
import { Stopped } from './errors.ts'
import type { EventSender } from './event-sender.ts'
import type { FeedReader } from './feed-reader.ts'
import type { HistoryContext } from './history-context.ts'
import type { Instance, Job } from './instance.ts'
import { OtherMirror } from './other-mirror.ts'
import type { Episode } from './scenario.ts'

interface Participants {
  readonly instances: readonly [Instance, ...Instance[]]
  readonly readers: readonly [FeedReader, ...FeedReader[]]
  readonly sender: EventSender
}

/** The jobs of processes. Long jobs are listed several times, so that they are drawn more often. */
const JOBS: readonly [Job, ...Job[]] = [
  'full-listing',
  'full-listing',
  'full-listing',
  'full-listing',
  'sync',
  'poll',
  'settle',
  'settle',
  'run',
  'accept',
]

/**
 * Schedules all acts, jobs and reads of a history.
 *
 * @returns the other mirror in the same store, if there is one
 */
export function scheduleEpisodes(context: HistoryContext, cast: Participants): OtherMirror | undefined {
  const { scenario } = context
  let atMs = 0
  for (const episode of scenario.episodes) {
    atMs += episode.afterMs
    scheduleEpisode(episode, atMs, context, cast)
  }
  scheduleRareEvents(atMs, context, cast)
  if (!scenario.hasOtherMirror) return undefined
  const other = new OtherMirror(context)
  scheduleOtherMirror(other, atMs, context)
  return other
}

function scheduleEpisode(
  episode: Episode,
  atMs: number,
  context: HistoryContext,
  { instances, readers, sender }: Participants,
): void {
  const { random, schedule, checker } = context
  const { spreadMs, acts, jobs, feedReads, eventsOnly } = episode
  const some = (count: number, run: () => void) => {
    for (let left = count; left > 0; left -= 1) schedule.after(atMs + random.integer(0, spreadMs), run)
  }
  some(jobs, () => random.pick(instances).begin(eventsOnly ? 'settle' : random.pick(JOBS)))
  some(acts, () => schedule.hold(act(context, sender)))
  some(feedReads, () => {
    const { process, mirror } = random.pick(instances)
    if (process.dead) return
    const reader = random.pick(readers)
    const reading = random.chance(0.7)
      ? reader.read({ process, mirror })
      : reader.read(
          { process, mirror },
          Number.POSITIVE_INFINITY,
          stoppedWithin(random.pick([1_000, 5_000, 30_000]), context),
        )
    reading.catch((error) => checker.onError(error))
  })
}

function scheduleOtherMirror(other: OtherMirror, lastAtMs: number, { random, schedule }: HistoryContext): void {
  for (let syncs = random.integer(1, 3); syncs > 0; syncs -= 1) {
    schedule.after(random.integer(0, lastAtMs), () => schedule.hold(other.sync()))
  }
}

function stoppedWithin(ms: number, { schedule, random }: HistoryContext): AbortSignal {
  const stop = new AbortController()
  schedule.after(random.integer(0, ms), () => stop.abort(new Stopped()))
  return stop.signal
}

/** Schedules events that happen in few histories, and once in each. */
function scheduleRareEvents(lastAtMs: number, context: HistoryContext, { instances }: Participants): void {
  const { random, schedule, scenario, world } = context
  const { isKeyReplaced, massRemoval } = scenario
  const soon = (happen: () => Promise<void>) =>
    schedule.after(random.integer(0, lastAtMs), () => schedule.hold(happen()))
  if (random.chance(0.06)) soon(() => random.pick(instances).syncWithOtherKey())
  if (massRemoval > 0) soon(() => leave(context))
  if (!isKeyReplaced) return
  soon(async () => {
    world.replaceKey()
    for (const { process } of instances) process.end('is deployed with another key')
    const adopt = () => random.pick(instances).adoptKey()
    schedule.after(random.integer(0, random.pick([100, 100_000])), adopt)
  })
}

/** Moves all visible notes out of sight. */
async function leave({ world, checker, scenario }: HistoryContext): Promise<void> {
  await world.catchUp()
  const leaving = world.notes.filter(({ isVisible }) => isVisible)
  // Without statuses, the mirror reads the content of each note, and may find each missing note without a full listing.
  const isFoundByFullListing = scenario.rates.lostEvent === 1 && (scenario.contract.noteFields ?? 'all') === 'all'
  // A few of them may return, or be found by other reads.
  checker.expectsHeldRemovals = isFoundByFullListing && leaving.filter((note) => checker.isShown(note)).length >= 60
  for (const note of leaving) world.moveOut(note)
}

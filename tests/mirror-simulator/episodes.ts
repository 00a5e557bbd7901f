import { act } from './acts.ts'
import type { Episode } from './circumstances.ts'
import type { FeedReader } from './feed-reader.ts'
import type { Instance, Job } from './instance.ts'
import { OtherMirror } from './other-mirror.ts'
import type { Post } from './post.ts'
import type { Stage } from './stage.ts'
import { Stopped } from './stopped.ts'

/** Who acts. */
interface Cast {
  readonly instances: readonly [Instance, ...Instance[]]
  readonly readers: readonly [FeedReader, ...FeedReader[]]
  readonly post: Post
}

/** What processes are told to do: more often what takes longest. */
const JOBS: readonly [Job, ...Job[]] = [
  'scan',
  'scan',
  'scan',
  'scan',
  'sync',
  'poll',
  'settle',
  'settle',
  'run',
  'accept',
]

/**
 * Arranges everything that happens while things go wrong.
 *
 * @returns the other mirror in the same store, where there is one
 */
export function arrange(stage: Stage, cast: Cast): OtherMirror | undefined {
  const { circumstances } = stage
  let atMs = 0
  for (const episode of circumstances.episodes) {
    atMs += episode.afterMs
    arrangeEpisode(episode, atMs, stage, cast)
  }
  arrangeExceptions(atMs, stage, cast)
  if (!circumstances.isOtherBeside) return undefined
  const other = new OtherMirror(stage)
  arrangeOther(other, atMs, stage)
  return other
}

function arrangeEpisode(episode: Episode, atMs: number, stage: Stage, { instances, readers, post }: Cast): void {
  const { random, schedule, judge } = stage
  const { spreadMs, acts, jobs, readings, isByEventsAlone } = episode
  const some = (count: number, run: () => void) => {
    for (let left = count; left > 0; left -= 1) schedule.after(atMs + random.integer(0, spreadMs), run)
  }
  some(jobs, () => random.pick(instances).begin(isByEventsAlone ? 'settle' : random.pick(JOBS)))
  some(acts, () => schedule.hold(act(stage, post)))
  some(readings, () => {
    const { life, mirror } = random.pick(instances)
    if (life.dead) return
    const reader = random.pick(readers)
    const reading = random.chance(0.7)
      ? reader.read({ life, mirror })
      : reader.follow({ life, mirror }, stoppedWithin(random.pick([1_000, 5_000, 30_000]), stage))
    reading.catch((error) => judge.failed(error))
  })
}

function arrangeOther(other: OtherMirror, lastAtMs: number, { random, schedule }: Stage): void {
  for (let syncs = random.integer(1, 3); syncs > 0; syncs -= 1) {
    schedule.after(random.integer(0, lastAtMs), () => schedule.hold(other.sync()))
  }
}

function stoppedWithin(ms: number, { schedule, random }: Stage): AbortSignal {
  const stop = new AbortController()
  schedule.after(random.integer(0, ms), () => stop.abort(new Stopped()))
  return stop.signal
}

/** What happens in few histories, and once. */
function arrangeExceptions(lastAtMs: number, stage: Stage, { instances }: Cast): void {
  const { random, schedule, circumstances, world } = stage
  const { isKeyReplaced, exodus } = circumstances
  const soon = (happen: () => Promise<void>) =>
    schedule.after(random.integer(0, lastAtMs), () => schedule.hold(happen()))
  if (random.chance(0.06)) soon(() => random.pick(instances).beWrong())
  if (exodus > 0) soon(() => leave(stage))
  if (!isKeyReplaced) return
  soon(async () => {
    world.replaceKey()
    for (const { life } of instances) life.end('is deployed with another key')
    const adopt = () => random.pick(instances).adoptKey()
    schedule.after(random.integer(0, random.pick([100, 100_000])), adopt)
  })
}

/** Everything leaves at once. */
async function leave({ world, judge, circumstances }: Stage): Promise<void> {
  await world.catchUp()
  const leaving = world.notes.filter(({ isVisible }) => isVisible)
  // Where no status says that there is no content, that is read, and tells of each note by itself.
  const isFoundByScan = circumstances.rates.lostEvent === 1 && (circumstances.contract.noteFields ?? 'all') === 'all'
  // A few may come back, or be told of otherwise.
  judge.mustHold = isFoundByScan && leaving.filter((note) => judge.isShown(note)).length >= 60
  for (const note of leaving) world.moveOut(note)
}

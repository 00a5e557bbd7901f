import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { Chronicle, type Tally } from '../receiving-simulator/chronicle.ts'
import { Random } from '../receiving-simulator/random.ts'
import { act, meddle, recordNew } from './acts.ts'
import { type Circumstances, drawCircumstances, type Episode } from './circumstances.ts'
import { conclude } from './conclusion.ts'
import { FeedReader } from './feed-reader.ts'
import type { HistoryName } from './history-name.ts'
import { Instance, type Job } from './instance.ts'
import { Judge } from './judge.ts'
import { Moments } from './moments.ts'
import { Network } from './network.ts'
import { OtherMirror } from './other-mirror.ts'
import { Post } from './post.ts'
import { QuickSchedule } from './quick-schedule.ts'
import { Stage } from './stage.ts'
import { Stopped } from './stopped.ts'
import { openStore } from './stores.ts'
import { makeTimersVirtual, playBy } from './virtual-timers.ts'
import { World } from './world.ts'

/** How a history went. */
export interface HistoryEnd {
  /** What was promised and not kept. */
  readonly violation: string | undefined
  readonly steps: number
  readonly requests: number
  /** What happened, in words, where that was asked for. */
  readonly lines: readonly string[]
}

const MOST_STEPS = 100_000
const MOST_IDLE_TURNS = 200

makeTimersVirtual()
// A tenth of all time goes into stacks that nobody reads.
Error.stackTraceLimit = 4
let onUnhandled: (reason: unknown) => void = () => undefined
process.on('unhandledRejection', (reason) => onUnhandled(reason))

/** Plays one history to its end, or to the first promise that is not kept. */
export async function playHistory(
  { seed, history, store }: HistoryName,
  tally: Tally = {},
  inWords = false,
): Promise<HistoryEnd> {
  const random = new Random(seed, history)
  const schedule = new QuickSchedule(random)
  const circumstances = drawCircumstances(random)
  const chronicle = new Chronicle(schedule, tally, inWords)
  const moments = new Moments()
  playBy(undefined, () => random.fraction())
  const world = await World.open({ random, schedule, moments, chronicle, circumstances })
  const stage = openStage({
    random,
    schedule,
    moments,
    circumstances,
    chronicle,
    world,
    store: openStore(store),
    scope: `history ${history}`,
    inWords,
  })
  const { judge } = stage
  onUnhandled = (reason) => judge.violated(`Nobody catches ${reason instanceof Error ? reason.stack : String(reason)}`)
  playBy(schedule, () => random.fraction())
  tellCircumstances(stage)

  const network = new Network(stage)
  const start = (skewMs: number, index: number) => new Instance(`instance ${index + 1}`, skewMs, stage, network)
  const [first = 0, ...others] = circumstances.skewsMs
  const instances: readonly [Instance, ...Instance[]] = [
    start(first, 0),
    ...others.map((skew, at) => start(skew, at + 1)),
  ]
  const readers = [new FeedReader('reader 1', stage), new FeedReader('reader 2', stage)] as const
  const post = new Post(stage, instances)
  network.onRead((noteId, withinMs) => meddle(noteId, withinMs, stage, post))
  await world.catchUp()
  for (let notes = circumstances.notesAtFirst; notes > 0; notes -= 1) recordNew(stage)
  for (let notes = circumstances.exodus; notes > 0; notes -= 1) world.record()
  let atMs = 0
  for (const episode of circumstances.episodes) {
    atMs += episode.afterMs
    arrange(episode, atMs, stage, { instances, readers, post })
  }
  arrangeExceptions(atMs, stage, { instances, readers, post })
  const other = circumstances.isOtherBeside ? new OtherMirror(stage) : undefined
  if (other !== undefined) arrangeOther(other, atMs, stage)

  let steps = await playOn(stage)
  if (judge.violation === undefined) {
    chronicle.tell('operator', 'from here on nothing goes wrong any more')
    stage.faultsAreOver = true
    for (const { life } of instances) life.thaw()
    const instance = random.pick(instances)
    const end = conclude(stage, { instance, readers, mirror: judge.mirror }).then(() => other?.conclude())
    steps += await playUntil(end, stage)
  }
  playBy(undefined, () => random.fraction())
  await world.close()
  return { violation: judge.violation, steps, requests: network.requests, lines: chronicle.lines }
}

function openStage(parts: Omit<Stage, 'judge' | 'faultsAreOver' | 'strikes'>): Stage {
  const { moments, world, circumstances, store, scope } = parts
  const { baseUrl, apiKey } = world.service
  const client = new NotesClient({ baseUrl, apiKey })
  const mirror = createMirror({ client, store, scope, keep: circumstances.keep })
  return new Stage({ ...parts, judge: new Judge({ moments, world, circumstances, mirror, store }) })
}

/** Plays until nothing more is to happen. */
async function playOn({ schedule, judge }: Stage): Promise<number> {
  let steps = 0
  while (judge.violation === undefined && (await schedule.next())) {
    steps += 1
    if (steps > MOST_STEPS) judge.violated('It never comes to rest.')
  }
  return steps
}

async function playUntil(end: Promise<void>, { schedule, judge }: Stage): Promise<number> {
  let steps = 0
  let isOver = false
  end.then(
    () => {
      isOver = true
    },
    (error: unknown) => judge.violated(`In the end it fails: ${error instanceof Error ? error.stack : String(error)}`),
  )
  // What is asked of the service directly takes turns of the event loop, and no time.
  for (let idle = 0; judge.violation === undefined && !isOver; idle += 1) {
    if (idle > MOST_IDLE_TURNS) judge.violated('It hangs: something is awaited that never comes.')
    if (idle > 0) await new Promise((resolve) => setImmediate(resolve))
    if (await schedule.next()) idle = 0
    steps += 1
    if (steps > MOST_STEPS) judge.violated('It never comes to rest.')
  }
  return steps
}

interface Cast {
  readonly instances: readonly [Instance, ...Instance[]]
  readonly readers: readonly [FeedReader, ...FeedReader[]]
  readonly post: Post
}

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

function arrange(episode: Episode, atMs: number, stage: Stage, { instances, readers, post }: Cast): void {
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

function tellCircumstances({ chronicle, circumstances, inWords }: Stage): void {
  if (!inWords) return
  const { skewsMs, contract, rates, episodes, ...others }: Circumstances = circumstances
  chronicle.tell('given', `${skewsMs.length} instances, clocks off by ${skewsMs.join(', ')} ms`)
  chronicle.tell('given', `the contract ${JSON.stringify(contract)}`)
  chronicle.tell(
    'given',
    `the faults ${JSON.stringify(Object.fromEntries(Object.entries(rates).filter(([, rate]) => rate > 0)))}`,
  )
  chronicle.tell('given', JSON.stringify(others))
  chronicle.tell('given', `${episodes.length} episodes`)
}

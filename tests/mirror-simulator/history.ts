import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { Chronicle, type Tally } from '../simulation/chronicle.ts'
import type { HistoryEnd, HistoryName, PlayHistory } from '../simulation/history.ts'
import { playOn } from '../simulation/play-on.ts'
import { Random } from '../simulation/random.ts'
import { meddle, recordNew } from './acts.ts'
import { arrange } from './arrangement.ts'
import { type Circumstances, drawCircumstances, drawLaggingCircumstances } from './circumstances.ts'
import { conclude } from './conclusion.ts'
import { FeedReader } from './feed-reader.ts'
import { Instance } from './instance.ts'
import { Judge } from './judge.ts'
import { Moments } from './moments.ts'
import { Network } from './network.ts'
import { Post } from './post.ts'
import { QuickSchedule } from './quick-schedule.ts'
import { Stage } from './stage.ts'
import { openStore } from './stores.ts'
import { makeTimersVirtual, playBy } from './virtual-timers.ts'
import { World } from './world.ts'

const MOST_STEPS = 100_000
const MOST_IDLE_TURNS = 200

makeTimersVirtual()
// A tenth of all time goes into stacks that nobody reads.
Error.stackTraceLimit = 4
let onUnhandled: (reason: unknown) => void = () => undefined
process.on('unhandledRejection', (reason) => onUnhandled(reason))

/** Plays a history in which answers may be late, and one server gives them all. */
export const playHistory = playerOf(drawCircumstances)

/** Plays a history of a service with replicas that lag. */
export const playLaggingHistory = playerOf(drawLaggingCircumstances)

function playerOf(draw: (random: Random) => Circumstances): PlayHistory {
  return (name, tally, inWords) => play(draw, name, tally, inWords)
}

const play = async (
  draw: (random: Random) => Circumstances,
  { seed, history, store }: HistoryName,
  tally: Tally = {},
  inWords = false,
): Promise<HistoryEnd> => {
  const random = new Random(seed, history)
  const schedule = new QuickSchedule(random)
  const circumstances = draw(random)
  const chronicle = new Chronicle(schedule, tally, inWords)
  const moments = new Moments()
  playBy(undefined, () => random.fraction())
  const world = await World.open({ random, schedule, moments, chronicle, circumstances })
  const opened = openStore(store)
  // Who looks on may look before any process has come to its first statement.
  await opened.migrate()
  const stage = openStage({
    random,
    schedule,
    moments,
    circumstances,
    chronicle,
    world,
    store: opened,
    integration: `history-${history}`,
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
  const other = arrange(stage, { instances, readers, post })

  let steps = await playOn(schedule, judge, MOST_STEPS)
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
  return { violation: judge.violation, steps, lines: chronicle.lines }
}

function openStage(parts: Omit<Stage, 'judge' | 'faultsAreOver' | 'strikes'>): Stage {
  const { moments, world, circumstances, store, integration } = parts
  const { baseUrl, apiKey } = world.service
  const client = new NotesClient({ baseUrl, apiKey })
  const mirror = createMirror({ client, store, integration, keep: circumstances.keep })
  return new Stage({ ...parts, judge: new Judge({ moments, world, circumstances, mirror, store }) })
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

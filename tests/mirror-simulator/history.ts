import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { SILENT } from '../../packages/mirror/fixtures/silent-logger.ts'
import { Chronicle, type Tally } from '../simulation/chronicle.ts'
import type { HistoryEnd, HistoryName, PlayHistory } from '../simulation/history.ts'
import { playOn } from '../simulation/play-on.ts'
import { Random } from '../simulation/random.ts'
import { StepBudget } from '../simulation/step-budget.ts'
import { changeDuringRead, recordNew } from './acts.ts'
import { checkConvergence } from './convergence.ts'
import { scheduleEpisodes } from './episodes.ts'
import { EventSender } from './event-sender.ts'
import { FeedReader } from './feed-reader.ts'
import { createContext, type HistoryContext } from './history-context.ts'
import { Instance } from './instance.ts'
import { InvariantChecker } from './invariant-checker.ts'
import { LogicalClock } from './logical-clock.ts'
import { Network } from './network.ts'
import { QuickSchedule } from './quick-schedule.ts'
import { drawLaggingScenario, drawScenario, type Scenario } from './scenario.ts'
import { openStore } from './stores.ts'
import { makeTimersVirtual, playBy } from './virtual-timers.ts'
import { World } from './world.ts'

const MAX_STEPS = 100_000
/** Several times as many as the longest of hundreds of histories makes. */
const MAX_STORE_CALLS = 30_000
const MAX_IDLE_TURNS = 200

makeTimersVirtual()
// Full stacks would take a tenth of all time.
Error.stackTraceLimit = 4
let onUnhandled: (reason: unknown) => void = () => undefined
process.on('unhandledRejection', (reason) => onUnhandled(reason))

/** Plays a history of a service without replicas. */
export const playHistory = playerOf(drawScenario)

/** Plays a history of a service with lagging replicas. */
export const playLaggingHistory = playerOf(drawLaggingScenario)

function playerOf(draw: (random: Random) => Scenario): PlayHistory {
  return (name, tally, inWords) => play(draw, name, tally, inWords)
}

const play = async (
  draw: (random: Random) => Scenario,
  { seed, history, store: storeName }: HistoryName,
  tally: Tally = {},
  inWords = false,
): Promise<HistoryEnd> => {
  const random = new Random(seed, history)
  const schedule = new QuickSchedule(random)
  const scenario = draw(random)
  const chronicle = new Chronicle(schedule, tally, inWords)
  const logicalClock = new LogicalClock()
  playBy(undefined, () => random.fraction())
  const world = await World.open({ random, schedule, logicalClock, chronicle, scenario })
  const budget = new StepBudget(MAX_STORE_CALLS)
  const store = budget.of(openStore(storeName))
  // The checker may read the store before the first statement of any process.
  await store.migrate()
  const integration = `history-${history}`
  const { baseUrl, apiKey } = world.service
  const client = new NotesClient({ baseUrl, apiKey })
  const mirror = createMirror({ client, store, integration, keep: scenario.keep, logger: SILENT })
  const checker = new InvariantChecker({ logicalClock, world, scenario, mirror, store })
  const shared = { random, schedule, logicalClock, scenario, chronicle, world, store, integration, checker, inWords }
  const context = createContext(shared)
  // A step may wait for a call that the budget does not allow, and would then never end.
  const exhausted = budget.exhausted.then(() => {
    checker.violated(`It makes more than ${MAX_STORE_CALLS} calls of the store.`)
    return 0
  })
  onUnhandled = (reason) =>
    checker.violated(`Unhandled rejection: ${reason instanceof Error ? reason.stack : String(reason)}`)
  playBy(schedule, () => random.fraction())
  logScenario(context)

  const network = new Network(context)
  const start = (skewMs: number, index: number) => new Instance(`instance ${index + 1}`, skewMs, context, network)
  const [first = 0, ...others] = scenario.skewsMs
  const instances: readonly [Instance, ...Instance[]] = [
    start(first, 0),
    ...others.map((skew, at) => start(skew, at + 1)),
  ]
  const readers = [new FeedReader('reader 1', context), new FeedReader('reader 2', context)] as const
  const sender = new EventSender(context, instances)
  network.onRead((noteId, withinMs) => changeDuringRead(noteId, withinMs, context, sender))
  await world.catchUp()
  for (let notes = scenario.initialNotes; notes > 0; notes -= 1) recordNew(context)
  for (let notes = scenario.massRemoval; notes > 0; notes -= 1) world.record()
  const other = scheduleEpisodes(context, { instances, readers, sender })

  let steps = await Promise.race([playOn(schedule, checker, MAX_STEPS), exhausted])
  if (checker.violation === undefined) {
    chronicle.tell('operator', 'ends all faults')
    context.faultsAreOver = true
    for (const { process } of instances) process.unfreeze()
    const instance = random.pick(instances)
    const end = checkConvergence(context, { instance, readers, mirror: checker.mirror, network, sender }).then(() =>
      other?.checkConvergence(),
    )
    steps += await Promise.race([playUntil(end, context), exhausted])
  }
  playBy(undefined, () => random.fraction())
  await world.close()
  return { violation: checker.violation, steps, lines: chronicle.lines }
}

async function playUntil(end: Promise<void>, { schedule, checker }: HistoryContext): Promise<number> {
  let steps = 0
  let isOver = false
  end.then(
    () => {
      isOver = true
    },
    (error: unknown) =>
      checker.violated(`In the end it fails: ${error instanceof Error ? error.stack : String(error)}`),
  )
  // Direct requests to the service take turns of the event loop, but no virtual time.
  for (let idle = 0; checker.violation === undefined && !isOver; idle += 1) {
    if (idle > MAX_IDLE_TURNS) checker.violated('It hangs: a promise never settles.')
    if (idle > 0) await new Promise((resolve) => setImmediate(resolve))
    if (await schedule.next()) idle = 0
    steps += 1
    if (steps > MAX_STEPS) checker.violated('It never ends.')
  }
  return steps
}

function logScenario({ chronicle, scenario, inWords }: HistoryContext): void {
  if (!inWords) return
  const { skewsMs, contract, rates, episodes, ...others }: Scenario = scenario
  chronicle.tell('given', `${skewsMs.length} instances, clocks off by ${skewsMs.join(', ')} ms`)
  chronicle.tell('given', `the contract ${JSON.stringify(contract)}`)
  chronicle.tell(
    'given',
    `the faults ${JSON.stringify(Object.fromEntries(Object.entries(rates).filter(([, rate]) => rate > 0)))}`,
  )
  chronicle.tell('given', JSON.stringify(others))
  chronicle.tell('given', `${episodes.length} episodes`)
}

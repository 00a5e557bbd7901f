import { Chronicle } from '../simulation/chronicle.ts'
import type { PlayHistory, StoreName } from '../simulation/history.ts'
import { playOn } from '../simulation/play-on.ts'
import { Random } from '../simulation/random.ts'
import { Schedule } from '../simulation/schedule.ts'
import type { Database } from './database.ts'
import { HistoryContext } from './history-context.ts'
import { InvariantChecker } from './invariant-checker.ts'
import { memoryDatabase } from './memory-database.ts'
import { describeEvent, drawScenario, type Scenario } from './scenario.ts'
import { Service } from './service.ts'
import { openSqliteDatabase } from './sqlite-database.ts'

const MAX_STEPS = 10_000

export const playHistory: PlayHistory = async ({ seed, history, store }, tally = {}, inWords = false) => {
  const random = new Random(seed, history)
  const schedule = new Schedule(random)
  const drawn = drawScenario(random)
  // `memoryStore` has no transactions.
  const scenario: Scenario = store === 'memory' ? { ...drawn, effects: 'before the commit' } : drawn
  const checker = new InvariantChecker(schedule, scenario)
  const chronicle = new Chronicle(schedule, tally, inWords)
  const context = new HistoryContext({ random, schedule, scenario, checker, chronicle }, await databaseOf(store))
  logScenario(context)

  const service = new Service(context)
  scheduleDeliveries(context, service)
  scheduleInterventions(context, service)
  schedule.after(scenario.faultsLastMs, () => endFaults(context, service))

  const steps = await playOn(schedule, checker, MAX_STEPS)
  if (checker.violation === undefined) await finish(context, service)
  return { violation: checker.violation, steps, lines: chronicle.lines }
}

async function finish({ database, checker, schedule }: HistoryContext, service: Service): Promise<void> {
  let closed = false
  void Promise.all(service.instances.map((instance) => instance.close())).then(() => {
    closed = true
  })
  await schedule.quiet()
  await playOn(schedule, checker, MAX_STEPS)
  if (!closed) checker.violated('A receiver does not close although no step is left.')
  checker.checkEnd(database.rows())
}

let openSqlite: ((context: HistoryContext) => Database) | undefined

async function databaseOf(store: StoreName): Promise<(context: HistoryContext) => Database> {
  if (store === 'memory') return memoryDatabase
  openSqlite ??= await openSqliteDatabase()
  return openSqlite
}

/** Schedules one or several deliveries of each event, in a random order. */
function scheduleDeliveries(context: HistoryContext, service: Service): void {
  const { scenario, random, schedule } = context
  for (const addressed of scenario.events) {
    for (let copies = random.pick([1, 1, 1, 2, 3]); copies > 0; copies -= 1) {
      schedule.after(random.integer(0, scenario.spreadMs), () => service.deliver(addressed))
    }
  }
}

/** Schedules what an operator does: deployments, replays, pruning. */
function scheduleInterventions(context: HistoryContext, service: Service): void {
  const { random, schedule } = context
  for (let stops = random.pick([0, 0, 0, 1, 2]); stops > 0; stops -= 1) {
    const instance = random.pick(service.instances)
    schedule.after(random.integer(0, random.pick([100, 5_000, 120_000])), () => instance.stop())
  }
  for (let replays = random.pick([0, 0, 1, 2]); replays > 0; replays -= 1) {
    schedule.after(random.integer(0, random.pick([100, 5_000, 400_000])), () => replay(context, service))
  }
  if (random.chance(0.04)) {
    schedule.after(random.integer(0, random.pick([5_000, 50_000_000])), () => random.pick(service.instances).prune())
  }
}

function replay({ scenario, chronicle, random }: HistoryContext, service: Service): void {
  const [first, ...others] = scenario.events
  if (first === undefined) return
  const addressed = random.pick([first, ...others])
  const instance = random.pick(service.instances)
  if (instance.process.dead) return
  chronicle.tell('operator', `replays ${describeEvent(addressed)}`)
  const forgetting = instance.receiverOf(addressed.integration).forget(addressed.event.event_id)
  forgetting.then(
    () => service.deliver(addressed),
    () => service.deliver(addressed),
  )
}

function endFaults({ chronicle }: HistoryContext, service: Service): void {
  chronicle.tell('operator', 'all faults end')
  for (const { process } of service.instances) process.unfreeze()
}

function logScenario({ chronicle, scenario }: HistoryContext): void {
  const { gate, effects, deliveredBy, skewsMs, events, rates } = scenario
  chronicle.tell('given', `${skewsMs.length} instances, clocks off by ${skewsMs.join(', ')} ms`)
  chronicle.tell('given', `revision gate '${gate}', effects ${effects}, delivered by a ${deliveredBy}`)
  chronicle.tell('given', `handlers for ${[...scenario.handled].join(', ')}`)
  chronicle.tell('given', `the events ${events.map(describeEvent).join('; ')}`)
  chronicle.tell('given', `the faults ${JSON.stringify(rates)}`)
}

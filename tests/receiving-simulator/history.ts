import { Chronicle } from '../simulation/chronicle.ts'
import type { PlayHistory, StoreName } from '../simulation/history.ts'
import { playOn } from '../simulation/play-on.ts'
import { Random } from '../simulation/random.ts'
import { Schedule } from '../simulation/schedule.ts'
import { drawCircumstances, inWords } from './circumstances.ts'
import type { Database } from './database.ts'
import { Judge } from './judge.ts'
import { memoryDatabase } from './memory-database.ts'
import { Service } from './service.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { Stage } from './stage.ts'

const MOST_STEPS = 20_000

export const playHistory: PlayHistory = async ({ seed, history, store }, tally = {}, inWords = false) => {
  const random = new Random(seed, history)
  const schedule = new Schedule(random)
  const circumstances = drawCircumstances(random)
  const judge = new Judge(schedule, circumstances)
  const chronicle = new Chronicle(schedule, tally, inWords)
  const stage = new Stage({ random, schedule, circumstances, judge, chronicle }, await databaseOf(store))
  tellCircumstances(stage)

  const service = new Service(stage)
  arrangeDeliveries(stage, service)
  arrangeInterventions(stage, service)
  schedule.after(circumstances.faultsLastMs, () => endFaults(stage, service))

  const steps = await playOn(schedule, judge, MOST_STEPS)
  if (judge.violation === undefined) await conclude(stage, service)
  return { violation: judge.violation, steps, lines: chronicle.lines }
}

async function conclude({ database, judge, schedule }: Stage, service: Service): Promise<void> {
  let closed = false
  void Promise.all(service.instances.map((instance) => instance.close())).then(() => {
    closed = true
  })
  await schedule.quiet()
  await playOn(schedule, judge, MOST_STEPS)
  if (!closed) judge.violated('A receiver does not close, though nothing more happens.')
  judge.conclude(database.rows())
}

let openSqlite: ((stage: Stage) => Database) | undefined

async function databaseOf(store: StoreName): Promise<(stage: Stage) => Database> {
  if (store === 'memory') return memoryDatabase
  openSqlite ??= await openSqliteDatabase()
  return openSqlite
}

/** Each event is sent, some of them several times, in any order. */
function arrangeDeliveries(stage: Stage, service: Service): void {
  const { circumstances, random, schedule } = stage
  for (const addressed of circumstances.events) {
    for (let copies = random.pick([1, 1, 1, 2, 3]); copies > 0; copies -= 1) {
      schedule.after(random.integer(0, circumstances.spreadMs), () => service.deliver(addressed))
    }
  }
}

/** What the people who run it do: deployments, replays, a timer that prunes. */
function arrangeInterventions(stage: Stage, service: Service): void {
  const { random, schedule } = stage
  for (let stops = random.pick([0, 0, 0, 1, 2]); stops > 0; stops -= 1) {
    const instance = random.pick(service.instances)
    schedule.after(random.integer(0, random.pick([100, 5_000, 120_000])), () => instance.stop())
  }
  for (let replays = random.pick([0, 0, 1, 2]); replays > 0; replays -= 1) {
    schedule.after(random.integer(0, random.pick([100, 5_000, 400_000])), () => replay(stage, service))
  }
  if (random.chance(0.04)) {
    schedule.after(random.integer(0, random.pick([5_000, 50_000_000])), () => random.pick(service.instances).prune())
  }
}

function replay({ circumstances, chronicle, random }: Stage, service: Service): void {
  const [first, ...others] = circumstances.events
  if (first === undefined) return
  const addressed = random.pick([first, ...others])
  const instance = random.pick(service.instances)
  if (instance.life.dead) return
  chronicle.tell('operator', `replays ${inWords(addressed)}`)
  const forgetting = instance.receiverOf(addressed.integration).forget(addressed.event.event_id)
  forgetting.then(
    () => service.deliver(addressed),
    () => service.deliver(addressed),
  )
}

function endFaults({ chronicle }: Stage, service: Service): void {
  chronicle.tell('operator', 'from here on nothing goes wrong any more')
  for (const { life } of service.instances) life.thaw()
}

function tellCircumstances({ chronicle, circumstances }: Stage): void {
  const { gate, effects, asked, skewsMs, events, rates } = circumstances
  chronicle.tell('given', `${skewsMs.length} instances, clocks off by ${skewsMs.join(', ')} ms`)
  chronicle.tell('given', `revision gate '${gate}', effects ${effects}, receivers asked ${asked}`)
  chronicle.tell('given', `handlers for ${[...circumstances.handled].join(', ')}`)
  chronicle.tell('given', `the events ${events.map(inWords).join('; ')}`)
  chronicle.tell('given', `the faults ${JSON.stringify(rates)}`)
}

import { inspect } from 'node:util'
import type { Postgres } from '../servers/index.ts'
import { violationsAtTheEnd, violationsOfToday } from './checks.ts'
import { CUSTOMERS } from './customers.ts'
import { begin } from './disasters.ts'
import { type Act, DAY_MS, DAYS, type Disaster, drawPlan, HOUR_MS, type Plan } from './plan.ts'
import { makeWorld, type World } from './world.ts'

/** How long all is well at the end, so that retries, polls and full listings come to an end. */
const GRACE_MS = 3 * DAY_MS
const END_MS = DAYS * DAY_MS + GRACE_MS
/** The cron job of the application. */
const WORK_EVERY_MS = 2 * HOUR_MS

export interface MonthOptions {
  readonly seed: number
  readonly server: Postgres
  /** The name of a planted bug. */
  readonly bug?: string | undefined
}

/** How a month went. */
export interface MonthEnd {
  readonly violations: readonly string[]
  /** What happened, in words. */
  readonly lines: readonly string[]
  readonly events: number
}

/** Plays the month of a seed, and then some days on which all is well. Ends at the first violation. */
export async function playMonth({ seed, server, bug }: MonthOptions): Promise<MonthEnd> {
  await using cleanUp = new AsyncDisposableStack()
  const world = await makeWorld({ seed, server, bug, cleanUp })
  await connectAll(world)
  const agenda = agendaOf(drawPlan(seed), world)
  const { service, lines } = world
  const beganAt = service.clock.now()
  let violations: readonly string[] = []
  for (let next = agenda.takeNext(); next !== undefined && violations.length === 0; next = agenda.takeNext()) {
    await service.clock.advance(Math.max(0, beganAt + next.at - service.clock.now()))
    violations = (await next.run().catch((error) => [inspect(error)])) ?? []
  }
  return { violations, lines, events: service.deliveries.length }
}

/** Connects the accounts of all customers, which have some notes. */
async function connectAll({ crew, operator, connected }: World): Promise<void> {
  await crew.hire()
  for (const customer of CUSTOMERS) {
    connected.add(customer)
    await operator.order({ act: 'connect', customer })
  }
}

function agendaOf({ acts, disasters }: Plan, world: World): Agenda {
  const agenda = new Agenda()
  for (const act of acts) agenda.add(act.at, () => doAct(act, world))
  for (const disaster of disasters) agenda.add(disaster.at, () => beginAndEnd(disaster, agenda, world))
  for (let at = WORK_EVERY_MS; at <= END_MS; at += WORK_EVERY_MS) agenda.add(at, () => work(world))
  for (let at = DAY_MS; at <= END_MS; at += DAY_MS) agenda.add(at, () => tend(world))
  agenda.add(DAYS * DAY_MS, async () => void world.tell('from now on all is well'))
  agenda.add(END_MS, () => violationsAtTheEnd(world))
  return agenda
}

async function beginAndEnd(disaster: Disaster, agenda: Agenda, world: World): Promise<undefined> {
  const { kind, customer, until } = disaster
  world.tell(`${kind} (${customer})`)
  const end = await begin(disaster, world)
  if (until > DAYS * DAY_MS) return
  agenda.add(until, async () => {
    world.tell(`the end of: ${kind} (${customer})`)
    await end()
    return undefined
  })
}

async function work({ operator, quiet }: World): Promise<readonly string[]> {
  await operator.retry()
  const result = await operator.give({ act: 'work' })
  if (result === 'done' && operator.left === 0) quiet.works += 1
  // What the service does wrong is repeated later, and is no failure of the work.
  return typeof result === 'string' ? [] : [`the work failed: ${result.failed}`]
}

async function tend(world: World): Promise<readonly string[]> {
  await world.operator.give({ act: 'tend' })
  return await violationsOfToday(world)
}

async function doAct(act: Act, { accountOf, connected, operator, service }: World): Promise<undefined> {
  accountOf(act.customer).act(act)
  if (act.isWorkedOn && connected.has(act.customer))
    await Promise.all([service.clock.advance('2m'), operator.give({ act: 'work on one', customer: act.customer })])
}

interface Entry {
  readonly at: number
  /** Returns violations, if it looks for them. */
  readonly run: () => Promise<readonly string[] | undefined>
}

/** What is to happen, in order of time. */
class Agenda {
  #entries: readonly Entry[] = []

  add(at: number, run: Entry['run']): void {
    const later = this.#entries.findIndex((entry) => entry.at > at)
    this.#entries = this.#entries.toSpliced(later < 0 ? this.#entries.length : later, 0, { at, run })
  }

  takeNext(): Entry | undefined {
    const [next, ...others] = this.#entries
    this.#entries = others
    return next
  }
}

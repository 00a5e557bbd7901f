import { isDeepStrictEqual } from 'node:util'
import type { MirrorStore, Mirrors } from '@notewire/mirror'
import type { ServiceClock } from '@notewire/mock-server'
import { anEvent } from '@notewire/webhooks/testing'
import { integrationsOf } from '../../packages/mirror/fixtures/integrations-of.ts'
import { memoryMirror } from '../../packages/mirror/fixtures/memory-mirror/memory-mirror.ts'
import { reads } from '../../packages/mirror/fixtures/store-reads.ts'
import { withMembers } from '../../packages/mirror/fixtures/with-members.ts'
import type { IntegrationRecord } from '../../packages/mirror/src/integrations/integration-store.ts'
import type { PlayHistory } from '../simulation/history.ts'
import { Random } from '../simulation/random.ts'
import { StepBudget } from '../simulation/step-budget.ts'
import { type Customer, processOn, someCustomers } from './customers.ts'
import { leaveAndReturn } from './leaving-account.ts'
import { WrongClock } from './wrong-clock.ts'

const BUDGET = { budgetMs: 60_000 }
const SLICE_MS = 100
const LEASE = '61s'
const LEASE_MS = 60_000
/** A worker that looks before and after this time sees every lease end, even if a wrong clock wrote it. */
const LEASES = '121s'
/** Within this time after all clocks were set right, every integration is worked on. */
const PROGRESS_WITHIN_HOURS = 26

/** Several times as many as the longest of hundreds of histories makes. */
const MAX_STORE_CALLS = 50_000

class Violation extends Error {}

/** Plays a history of four integrations and two processes, one of which freezes in some of its slices. The clock of each may lie at any time. */
export const playHistory: PlayHistory = async ({ seed, history }, tally = {}, inWords = false) => {
  const random = new Random(seed, history)
  const { service, customers } = await someCustomers(4)
  const budget = new StepBudget(MAX_STORE_CALLS)
  const store = budget.of(slowStore(memoryMirror(), service.clock))
  const clock = new WrongClock(service.clock)
  const running = processOn(store, service, customers, undefined, clock)
  const receiver = running.receivers({ secretOf: (_integration) => undefined })
  const lines: string[] = []
  const consumed = new Map<string, Map<string, string>>()
  let steps = 0
  /** Whether a clock that was wrong may have written a schedule. */
  let isLate = false

  async function storeHint({ integration }: Customer, noteId: string): Promise<void> {
    const event = anEvent({ kind: 'note.ended', noteId, revision: 2 })
    await receiver.process(event, { integration })
  }

  /** Freezes the other process after an answer to an integration, or before it releases the integration, until the act is over. */
  async function whileFrozen({ integration }: Customer, act: () => Promise<void>): Promise<void> {
    const [frozen, unfrozen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let callsLeft = random.integer(1, 3)
    const isBeforeRelease = random.chance(0.5)
    async function freeze(): Promise<void> {
      callsLeft -= 1
      if (callsLeft !== 0 && !isBeforeRelease) return
      frozen.resolve()
      await unfrozen.promise
    }
    const freezing = freezingStore(store, isBeforeRelease ? freeze : async () => undefined)
    const otherClock = new WrongClock(service.clock)
    const onAnswer = async (asked: string) => {
      if (asked === integration && !isBeforeRelease) await freeze()
    }
    const other = processOn(freezing, service, customers, onAnswer, otherClock)
    if (random.chance(0.4)) otherClock.setWrong(random)
    const working = other.work({ ...BUDGET, integration })
    await Promise.race([frozen.promise, working])
    // A machine that resumes may show a wrong time until its clock is set.
    const isSetRight = random.chance(0.4)
    if (isSetRight) otherClock.setRight()
    if (!isSetRight && random.chance(0.4)) otherClock.setWrong(random)
    await act()
    unfrozen.resolve()
    await working
    isLate ||= otherClock.wasWrong
  }

  /**
   * Adds a removed integration. A process takes it, and is killed when only the generation tells the record from that of the earlier copy.
   *
   * @returns the record
   */
  async function addAgain(customer: Customer, earlier: IntegrationRecord | undefined) {
    const { integration } = customer
    await running.add(integration)
    const [now, until] = [service.clock.now(), service.clock.now() + LEASE_MS]
    let record = (await store.integrations.take({ now, until, worker: 'a test', maxRank: 3, integration }))?.record
    while (record !== undefined && earlier !== undefined && record.version < earlier.version) {
      if (record.hints < earlier.hints) await storeHint(customer, customer.write().noteId)
      else await integrationsOf(store).renew(integration, record, until)
      record = await integrationsOf(store).get(integration)
    }
    return record
  }

  /** Lets the time pass after which a clock that was wrong delays nothing. */
  async function catchUp(): Promise<void> {
    isLate = false
    for (let hours = 0; hours < PROGRESS_WITHIN_HOURS; hours += 1) {
      await service.clock.advance('1h')
      await running.work(BUDGET)
    }
  }

  const acts: Readonly<Record<string, (customer: Customer) => Promise<void>>> = {
    async 'a hint'(customer) {
      const before = await store.integrations.list({ after: '', limit: 10 })
      const { noteId, title } = customer.write()
      await storeHint(customer, noteId)
      const after = await store.integrations.list({ after: '', limit: 10 })
      const others = (records: typeof before) =>
        records.filter(({ record }) => record.integration !== customer.integration)
      if (!isDeepStrictEqual(others(before), others(after))) throw new Violation('a hint changed another integration')
      await running.work(BUDGET)
      await shows(running, customer, title)
    },
    async 'a hint during a slice'(customer) {
      await service.clock.advance('2h')
      customer.write()
      let title = ''
      await whileFrozen(customer, async () => {
        const written = customer.write()
        title = written.title
        await storeHint(customer, written.noteId)
      })
      await running.work(BUDGET)
      if (isLate) await catchUp()
      await shows(running, customer, title)
    },
    async 'a worker loses its lease'(customer) {
      await service.clock.advance('2h')
      customer.write()
      const written = async () => [
        (await store.readProgress(customer.integration)).progress,
        await reads(store).latestPosition(customer.integration),
        await integrationsOf(store).get(customer.integration),
      ]
      let before: unknown
      await whileFrozen(customer, async () => {
        await running.work(BUDGET)
        await service.clock.advance(LEASES)
        // Otherwise a worker whose clock is slow has an integration that is not due for the others, and keeps its lease.
        await integrationsOf(store).wake(customer.integration, service.clock.now())
        // The next worker may take the lease and commit nothing, so that no version refuses what the other commits.
        if (random.chance(0.5)) refuse([customer], 503)
        await running.work(BUDGET)
        refuse([customer], undefined)
        before = await written()
      })
      if (!isDeepStrictEqual(await written(), before)) throw new Violation('a worker without a lease wrote')
      await service.clock.advance('61m')
      await running.work(BUDGET)
    },
    async 'a removal during a slice'(customer) {
      await service.clock.advance('2h')
      customer.write()
      let added: unknown
      await whileFrozen(customer, async () => {
        const earlier = await integrationsOf(store).get(customer.integration)
        await running.remove(customer.integration)
        const next = random.pick(['add again', 'erase', 'nothing', 'nothing'])
        if (next !== 'nothing') await running.work(BUDGET)
        if (next === 'add again') added = await addAgain(customer, earlier)
      })
      if (added !== undefined) {
        const record = await integrationsOf(store).get(customer.integration)
        if (!isDeepStrictEqual(record, added)) throw new Violation('a worker of a removed integration wrote')
        await service.clock.advance(LEASES)
        await running.work(BUDGET)
        return
      }
      await running.work(BUDGET)
      // An integration with a consumer waits for it.
      const isThere = (await running.list()).some(
        ({ integration, state }) => integration === customer.integration && state !== 'removing',
      )
      if (isThere || (await reads(store).listNotes(customer.integration, '', 1)).length > 0) {
        throw new Violation('a removed integration was restored')
      }
      await running.add(customer.integration)
    },
    async 'clocks that lie'(customer) {
      await service.clock.advance('2h')
      const otherClock = new WrongClock(service.clock)
      const other = processOn(store, service, customers, undefined, otherClock)
      for (const each of [clock, otherClock]) if (random.chance(0.7)) each.setWrong(random)
      customer.write()
      for (const mirrors of random.chance(0.5) ? [running, other] : [other, running]) await mirrors.work(BUDGET)
      if (random.chance(0.5)) {
        // The other process is killed when it has taken an integration.
        const { integration } = customer
        await integrationsOf(store).wake(integration, service.clock.now())
        const now = otherClock.now()
        const killed = await store.integrations.take({
          now,
          until: now + LEASE_MS,
          worker: 'a test',
          maxRank: 3,
          integration,
        })
        clock.setRight()
        await running.work(BUDGET)
        await service.clock.advance(LEASES)
        await running.work(BUDGET)
        const token = (await integrationsOf(store).get(integration))?.token
        if (token === killed?.record.token) throw new Violation('an integration waits for a killed worker')
      }
      if (random.chance(0.3)) otherClock.setWrong(random)
      if (random.chance(0.3)) await other.work(BUDGET)
      clock.setRight()
      const written = customers.map((each) => [each, each.write().title] as const)
      await catchUp()
      for (const [each, title] of written) {
        if (!(await titlesOf(running, each)).includes(title)) throw new Violation('an integration stands still')
        const { correctAsOf } = await running.of(each.integration).status()
        if ((correctAsOf?.getTime() ?? 0) > service.clock.now()) throw new Violation('correctAsOf is in the future')
      }
    },
    async 'a limit of the other keys'(customer) {
      await service.clock.advance('2h')
      refuse(customers, 429, customer)
      await running.work(BUDGET)
      const { noteId, title } = customer.write()
      await storeHint(customer, noteId)
      await running.work(BUDGET)
      await shows(running, customer, title)
      refuse(customers, undefined)
      await service.clock.advance('61m')
      await running.work(BUDGET)
    },
    async 'a minute of refusals'() {
      await service.clock.advance('2h')
      refuse(customers, random.pick([403, 429, 503]))
      await running.work(BUDGET)
      refuse(customers, undefined)
      const written = customers.map((each) => [each, each.write().title] as const)
      for (const pause of ['1m', '1h', '1h'] as const) {
        await service.clock.advance(pause)
        await running.work(BUDGET)
      }
      if (isLate) await catchUp()
      for (const [each, title] of written) {
        if (!(await titlesOf(running, each)).includes(title)) throw new Violation('an integration stands still')
      }
    },
    async 'a resume during a probe'(customer) {
      if (isLate) await catchUp()
      await service.clock.advance('2h')
      refuse([customer], 403)
      await running.work(BUDGET)
      await service.clock.advance('1h')
      await whileFrozen(customer, async () => {
        refuse([customer], undefined)
        await running.resume(customer.integration)
      })
      const state = (await running.get(customer.integration))?.state
      if (state !== 'active') throw new Violation('a resumed integration is parked')
      await service.clock.advance(LEASE)
      await running.work(BUDGET)
    },
    async 'an account that leaves and comes back'(customer) {
      const processWith = (store: MirrorStore) => processOn(store, service, customers, undefined, service.clock)
      const passTime = async () => void (await service.clock.advance('2h'))
      const leaving = { random, mirrors: running, store, consumed, processWith, passTime }
      const violation = await leaveAndReturn(customer, leaving)
      if (violation !== undefined) throw new Violation(violation)
    },
    async time() {
      await service.clock.advance('7m')
      await running.work(BUDGET)
    },
  }

  async function play(): Promise<void> {
    for (const customer of customers) {
      customer.write()
      await running.add(customer.integration)
    }
    await running.work(BUDGET)
    for (let left = random.integer(3, 10); left > 0; left -= 1) {
      const act = random.pick([
        'a hint',
        'a hint during a slice',
        'a worker loses its lease',
        'a removal during a slice',
        'clocks that lie',
        'a limit of the other keys',
        'a minute of refusals',
        'a resume during a probe',
        'an account that leaves and comes back',
        'time',
      ])
      const customer = customers[random.integer(0, customers.length - 1)]
      if (customer === undefined) continue
      steps += 1
      tally[act] = (tally[act] ?? 0) + 1
      if (inWords) lines.push(`${customer.integration}  ${act}`)
      await acts[act]?.(customer)
      await showsOnlyItsOwn(store, customers)
    }
    await service.clock.advance('2h')
    await running.work(BUDGET)
    if (isLate) await catchUp()
    for (const customer of customers) {
      const shown = await titlesOf(running, customer)
      if (!isDeepStrictEqual(shown, [...customer.titles].sort()))
        throw new Violation(`${customer.integration} lacks notes`)
    }
  }

  const tooLong = budget.exhausted.then(() => {
    throw new Violation(`It does not end within ${MAX_STORE_CALLS} calls of the store.`)
  })
  try {
    await Promise.race([play(), tooLong])
    return { violation: undefined, steps, lines }
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    return { violation: error.message, steps, lines }
  } finally {
    await service.close()
  }
}

/** Sets the status with which the service refuses keys, except for one. */
function refuse(customers: readonly Customer[], refusal: Customer['refusal'], except?: Customer): void {
  for (const customer of customers) if (customer !== except) customer.refusal = refusal
}

async function titlesOf(mirrors: Mirrors, { integration }: Customer): Promise<readonly string[]> {
  const titles: string[] = []
  for await (const { note } of mirrors.of(integration).list()) titles.push(note.title ?? '')
  return titles.sort()
}

async function shows(mirrors: Mirrors, customer: Customer, title: string): Promise<void> {
  if (!(await titlesOf(mirrors, customer)).includes(title)) throw new Violation('a hint was lost')
}

async function showsOnlyItsOwn(store: MirrorStore, customers: readonly Customer[]): Promise<void> {
  for (const { integration } of customers) {
    for (const { note } of await reads(store).listNotes(integration, '', 1_000)) {
      if (note?.title?.startsWith(`${integration} `) !== true) throw new Violation('a note is in another integration')
    }
  }
}

/**
 * A store in which a slice takes time. Two workers whose clocks differ by years take an integration from each other until one of them has used up
 * its budget. PostgreSQL prevents that, because its clock counts, and the processes that share an SQLite file share the machine's clock.
 */
function slowStore(store: MirrorStore, clock: ServiceClock): MirrorStore {
  const { integrations } = store
  const slow = withMembers(integrations, {
    async take(request) {
      const taken = await integrations.take(request)
      if (taken !== undefined) await clock.advance(SLICE_MS)
      return taken
    },
  })
  return withMembers(store, { integrations: slow })
}

/** The store of a process that freezes when it finishes a slice. It renews no lease. */
function freezingStore(store: MirrorStore, beforeFinish: () => Promise<void>): MirrorStore {
  const { integrations } = store
  const freezing = withMembers(integrations, {
    async write(next, read) {
      if (next !== 'deleted' && read?.leaseUntil) {
        if (next.leaseUntil === null) await beforeFinish()
        else if (isDeepStrictEqual({ ...next, leaseUntil: read.leaseUntil }, read)) return 'written'
      }
      return await integrations.write(next, read)
    },
  })
  return withMembers(store, { integrations: freezing })
}

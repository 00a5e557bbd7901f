import { type Clock, systemClock } from '@notewire/protocol'
import { temporaryPath } from 'notewire-test-servers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { integrationsOf } from '../../fixtures/integrations-of.ts'
import { type ManyCustomers, manyCustomers } from '../../fixtures/many-customers.ts'
import type { MirrorStore } from '../../index.ts'
import { sqliteMirror } from '../sqlite/index.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-database.ts'
import { postgresMirror } from './index.ts'

const HOUR_MS = 3_600_000
const BUDGET = { budgetMs: 2_000 }
const LEASE = { lasts: 60_000, most: 3, integration: 'customer-0' } as const

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const stores: Readonly<Record<string, () => Promise<MirrorStore>>> = {
  PostgreSQL: async () => postgresMirror(databases.poolOf(await databases.emptyDatabase())),
  SQLite: async () => {
    const store = sqliteMirror(temporaryPath(onTestFinished))
    onTestFinished(() => store.close?.())
    return store
  },
}

/** The machine's clock, off by some milliseconds. */
function clockOff(byMs: number): Clock {
  return { ...systemClock, now: () => Date.now() + byMs }
}

function take({ integrations }: MirrorStore, clock: Clock) {
  const { lasts, ...request } = LEASE
  return integrations.take({ ...request, now: clock.now(), until: clock.now() + lasts })
}

/** Works until a note is shown, for some seconds at most. */
async function shows({ mirrors, titles }: ManyCustomers, title: string): Promise<void> {
  const work = async () => {
    await mirrors.work(BUDGET)
    expect(await titles('customer-0')).toContain(title)
  }
  await vi.waitFor(work, { timeout: 4_000, interval: 100 })
}

describe.each(Object.entries(stores))('in %s, a clock that is ahead', (_name, open) => {
  async function oneCustomer() {
    const store = await open()
    const world = await manyCustomers(1, { store, clock: systemClock, pollEveryMs: 50 })
    onTestFinished(() => world[Symbol.asyncDispose]())
    world.customers[0]?.write('first')
    await world.mirrors.add('customer-0')
    await world.mirrors.work(BUDGET)
    return { store, world }
  }

  it.each([
    ['two days', 48 * HOUR_MS],
    ['two years', 2 * 365 * 24 * HOUR_MS],
  ])('by %s during one slice delays no later slice', async (_howMuch, aheadMs) => {
    const { world } = await oneCustomer()
    await new Promise((resolve) => setTimeout(resolve, 60))
    await world.another({ clock: clockOff(aheadMs) }).work(BUDGET)
    world.customers[0]?.write('second')
    await shows(world, 'second')
    const { correctAsOf } = await world.mirrors.of('customer-0').status()
    expect(correctAsOf?.getTime() ?? 0).toBeLessThanOrEqual(Date.now())
  })

  it('when its worker is killed, keeps the integration no longer than its lease', async () => {
    const { store, world } = await oneCustomer()
    await integrationsOf(store).wake('customer-0', Date.now())
    const clock = clockOff(300 * 24 * HOUR_MS)
    expect(await take(store, clock)).toBeDefined()
    // The lease of a worker that is killed is not renewed. In PostgreSQL it ends within a minute by the clock of the server.
    if (_name === 'PostgreSQL') {
      const { leaseUntil } = (await integrationsOf(store).get('customer-0')) ?? {}
      expect(leaseUntil).toBeLessThanOrEqual(Date.now() + LEASE.lasts)
      return
    }
    world.customers[0]?.write('second')
    await shows(world, 'second')
  })
})

describe('in PostgreSQL', () => {
  it.each([
    ['answers', undefined, HOUR_MS],
    ['limits the rate', () => new Response(null, { status: 429, headers: { 'retry-after': '60' } }), HOUR_MS],
  ])(
    'one reading of a clock that is wrong by 20 h delays no integration, if the service %s',
    async (_how, answer, mostMs) => {
      const store = postgresMirror(databases.poolOf(await databases.emptyDatabase()))
      await using world = await manyCustomers(1, { store, clock: systemClock })
      const [customer] = world.customers
      customer?.write('first')
      await world.mirrors.add('customer-0')
      await world.mirrors.work(BUDGET)
      const fetch = async (request: Request) => answer?.() ?? (await world.service.fetch(request))
      const connect = () => ({ baseUrl: world.service.baseUrl, apiKey: customer?.apiKey ?? '', fetch })
      /** Works with a clock that is wrong at one reading, and returns the number of readings. */
      async function workWithOneWrong(wrong: number, byMs: number): Promise<number> {
        let readings = 0
        const now = () => Date.now() + (readings++ === wrong ? byMs : 0)
        await integrationsOf(store).wake('customer-0', Date.now())
        await world.another({ connect, clock: { ...systemClock, now } }).work({ ...BUDGET, integration: 'customer-0' })
        return readings
      }
      const readings = await workWithOneWrong(-1, 0)
      expect(readings).toBeGreaterThan(3)
      for (const byMs of [20 * HOUR_MS, -20 * HOUR_MS]) {
        for (let wrong = 0; wrong < readings; wrong += 1) {
          await workWithOneWrong(wrong, byMs)
          const { dueAt, pausedUntil } = (await integrationsOf(store).get('customer-0')) ?? {}
          const delays = [dueAt, pausedUntil].map((time) => (time ?? 0) - Date.now())
          expect({ wrong, byMs, isDelayed: delays.some((delay) => delay > mostMs) }).toMatchObject({ isDelayed: false })
        }
      }
    },
  )

  it.each([-365 * 24, -1, -0.01, 0.01, 1, 365 * 24])(
    'a worker whose clock is off by %d h takes no live lease',
    async (hours) => {
      const open = stores['PostgreSQL']
      if (open === undefined) throw new Error('there is no such store')
      const store = await open()
      await store.migrate()
      await integrationsOf(store).put('customer-0', 'first', Date.now())
      const clock = clockOff(hours * HOUR_MS)
      const taken = await take(store, systemClock)
      expect(taken?.record.token).toBe(1)
      expect(await take(store, clock)).toBeUndefined()
      const fence = { generation: 'first', token: 1 }
      expect(
        await integrationsOf(store).renew('customer-0', fence, { now: clock.now(), until: clock.now() + LEASE.lasts }),
      ).toBe(true)
      expect(await take(store, systemClock)).toBeUndefined()
      const { leaseUntil } = (await integrationsOf(store).get('customer-0', clock.now())) ?? {}
      expect(Math.abs((leaseUntil ?? 0) - clock.now() - LEASE.lasts)).toBeLessThan(5_000)
    },
  )

  it('a server whose clock is set back by an hour takes an integration from a worker that died before', async () => {
    const pool = databases.poolOf(await databases.emptyDatabase())
    const store = postgresMirror(pool)
    await store.migrate()
    await integrationsOf(store).put('customer-0', 'first', Date.now())
    expect((await take(store, systemClock))?.record.token).toBe(1)
    // The same as a clock that is set back.
    await pool.query(
      "UPDATE notewire_integrations SET record = record || jsonb_build_object('leaseUntil', lease_until + 3600000)",
    )
    expect((await take(store, systemClock))?.record.token).toBe(2)
    expect(await take(store, systemClock)).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { abandoning } from '../fixtures/abandoning-store.ts'
import { type ManyCustomers, manyCustomers, workFor } from '../fixtures/many-customers.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import type { Mirrors } from './index.ts'

const BUDGET = { budgetMs: 60_000 }
const HOUR = 60
const DAY = 24 * HOUR

/** The response of a service that limits the rate. */
const limitedFor = (seconds: number) => () =>
  new Response(null, { status: 429, headers: { 'retry-after': `${seconds}` } })

/** Customers that were added. `answers` replaces the responses to some of them. */
async function addedCustomers(count: number, store = memoryMirror()) {
  const answers = new Map<string, () => Response | Promise<Response>>()
  const world = await manyCustomers(count, { store })
  const asked: { readonly integration: string; readonly at: number }[] = []
  const connect = (integration: string) => {
    const apiKey = world.customers.find((customer) => customer.integration === integration)?.apiKey ?? ''
    const fetch = async (request: Request) => {
      asked.push({ integration, at: world.service.clock.now() })
      return (await answers.get(integration)?.()) ?? (await world.service.fetch(request))
    }
    return { baseUrl: world.service.baseUrl, apiKey, fetch }
  }
  const mirrors = world.another({ connect })
  for (const { integration } of world.customers) await mirrors.add(integration)
  return { world: { ...world, mirrors }, answers, asked, another: () => world.another({ connect }) }
}

async function titlesOf(world: ManyCustomers): Promise<readonly (readonly unknown[])[]> {
  return await Promise.all(world.customers.map(({ integration }) => world.titles(integration)))
}

/** Runs the mirrors while the clock advances. */
async function runFor(mirrors: Mirrors, { service }: ManyCustomers, ms: number): Promise<void> {
  const stop = new AbortController()
  const running = mirrors.run({ signal: stop.signal })
  await service.clock.advance(ms)
  stop.abort()
  await Promise.all([running, service.clock.advance('1s')])
}

describe('a rate limit of some keys', () => {
  it('delays no integration with another key', async () => {
    const { world, answers } = await addedCustomers(23)
    await using _ = world
    for (const noisy of ['customer-0', 'customer-1', 'customer-2']) answers.set(noisy, limitedFor(3_600))
    for (const customer of world.customers) customer.write('first')
    await runFor(world.mirrors, world, 1_000)
    const titles = await titlesOf(world)
    expect(titles.slice(0, 3)).toEqual([[], [], []])
    expect(titles.slice(3)).toEqual(Array.from({ length: 20 }, () => ['first']))
    expect(await world.mirrors.status()).toMatchObject({ active: 23, backingOff: 3, pausedServices: [] })
    expect(world.paused).toEqual([])
  })

  it('of more than half of all keys delays the others by a minute at most', async () => {
    const { world, answers } = await addedCustomers(35)
    await using _ = world
    for (const { integration } of world.customers.slice(0, 15)) answers.set(integration, limitedFor(3_600))
    for (const customer of world.customers) customer.write('first')
    await runFor(world.mirrors, world, 61_000)
    expect((await titlesOf(world)).slice(15)).toEqual(Array.from({ length: 20 }, () => ['first']))
  })

  it.each([
    ['two hours', 7_200, 119, 2],
    ['two days', 172_800, DAY - 1, 2],
  ])('pauses its integration for the requested %s, a day at most', async (_long, seconds, quiet, rest) => {
    const { world, answers, asked } = await addedCustomers(1)
    await using _ = world
    answers.set('customer-0', limitedFor(seconds))
    await world.mirrors.work(BUDGET)
    await workFor(world, quiet)
    expect(asked).toHaveLength(1)
    await workFor(world, rest)
    expect(asked).toHaveLength(2)
  })

  it('is not ended by acceptReads', async () => {
    const { world, answers, asked } = await addedCustomers(1)
    await using _ = world
    const note = world.customers[0]?.write('first')
    await world.mirrors.work(BUDGET)
    answers.set('customer-0', limitedFor(7_200))
    await workFor(world, 10)
    answers.clear()
    await world.mirrors.of('customer-0').acceptReads(note?.note_id ?? '')
    const before = asked.length
    await workFor(world, 60)
    expect(asked).toHaveLength(before)
  })

  it.each([
    ['seconds', 'ratelimit-reset', () => '7200'],
    ['a time in seconds', 'x-ratelimit-reset', (now: number) => (now / 1_000 + 7_200).toFixed(0)],
    ['a time in milliseconds', 'x-rate-limit-reset', (now: number) => (now + 7_200_000).toFixed(0)],
  ])('pauses its integration until the reset of the limit, in %s', async (_form, header, reset) => {
    const { world, answers, asked } = await addedCustomers(1)
    await using _ = world
    const limited = () => {
      const now = world.service.clock.now()
      const headers = { [header]: reset(now), date: new Date(now).toUTCString() }
      return new Response(null, { status: 429, headers })
    }
    answers.set('customer-0', limited)
    await world.mirrors.work(BUDGET)
    await workFor(world, 119)
    expect(asked).toHaveLength(1)
    await workFor(world, 2)
    expect(asked).toHaveLength(2)
  })

  it.each(['ratelimit-reset', 'x-ratelimit-reset'])(
    'does not pause its integration after a 503 with %s',
    async (header) => {
      const { world, answers, asked } = await addedCustomers(1)
      await using _ = world
      answers.set('customer-0', () => new Response(null, { status: 503, headers: { [header]: '7200' } }))
      await world.mirrors.work(BUDGET)
      await workFor(world, 2)
      expect(asked.length).toBeGreaterThan(2)
    },
  )
})

describe('a service that refuses all keys', () => {
  it.each([
    ['429', { kind: 'status', status: 429, retryAfter: 3_600 }],
    ['503', { kind: 'status', status: 503 }],
    ['401', { kind: 'status', status: 401 }],
  ] as const)(
    'with %s is paused for a minute, and probed by one integration at a time',
    async (_status, fault) => {
      const { world, asked } = await addedCustomers(200)
      await using _ = world
      const { clock, faults, baseUrl } = world.service
      const refusing = faults.inject({ request: '* /v1/**', fault })
      const began = clock.now()
      await runFor(world.mirrors, world, 5_000)
      const burst = asked.length
      expect(burst).toBeLessThanOrEqual(26)
      expect(world.paused).toEqual([
        { baseUrl, until: new Date(began + 60_000), error: expect.objectContaining({ status: fault.status }) },
      ])
      expect((await world.mirrors.status()).pausedServices).toEqual([{ baseUrl, until: new Date(began + 60_000) }])
      await runFor(world.mirrors, world, 50_000)
      expect(asked.length - burst).toBeGreaterThanOrEqual(4)
      // Integrations that were refused with 503 before the pause are due again, and probe, too.
      expect(asked.length - burst).toBeLessThanOrEqual(5)
      refusing.remove()
      for (const customer of world.customers.slice(100)) customer.write('after')
      await runFor(world.mirrors, world, 10_000)
      expect((await world.mirrors.status()).pausedServices).toEqual([])
      await runFor(world.mirrors, world, 60_000)
      expect((await titlesOf(world)).slice(100)).toEqual(Array.from({ length: 100 }, () => ['after']))
    },
    60_000,
  )
})

describe('an integration whose key was refused', () => {
  it('is active again about an hour after a minute of 403, without a call', async () => {
    await using world = await manyCustomers(50)
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    await workFor(world, 5)
    const refusing = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 403 } })
    await workFor(world, 6)
    refusing.remove()
    const parked = (await world.mirrors.status()).parked.key_refused
    expect(parked).toBeGreaterThan(10)
    for (const customer of world.customers) customer.write('after')
    await workFor(world, HOUR)
    expect(await world.mirrors.status()).toMatchObject({ active: 50, backingOff: 0, parked: { key_refused: 0 } })
    expect(await titlesOf(world)).toEqual(Array.from({ length: 50 }, () => ['after']))
    expect(world.resumed).toHaveLength(parked)
    for (let day = 0; day < 30; day += 1) {
      await world.service.clock.advance('24h')
      await world.mirrors.work(BUDGET)
    }
    expect([world.parked.length, world.resumed.length]).toEqual([parked, parked])
  }, 60_000)

  /** A customer whose key is refused until `answers` has changed. */
  async function refusedCustomer(store = memoryMirror()) {
    const stage = await addedCustomers(1, store)
    const { world, answers, asked } = stage
    await world.mirrors.work(BUDGET)
    const notes = asked.length
    answers.set('customer-0', () => new Response(null, { status: 403 }))
    await workFor(world, 6)
    expect(asked.length - notes).toBe(1)
    expect(await world.mirrors.get('customer-0')).toMatchObject({ state: 'parked', parkedBecause: 'key_refused' })
    asked.length = 0
    return stage
  }

  it('is probed with one request after an hour, then daily, and reported once', async () => {
    const { world, asked } = await refusedCustomer()
    await using _ = world
    const parkedAt = world.service.clock.now()
    await workFor(world, 30 * DAY)
    const hours = asked.map(({ at }, index) => (at - (asked[index - 1]?.at ?? parkedAt)) / 3_600_000)
    expect(hours[0]).toBeLessThanOrEqual(1)
    expect(hours[0]).toBeGreaterThan(0.7)
    for (const pause of hours.slice(1)) expect(Math.abs(pause - 22)).toBeLessThanOrEqual(3)
    expect(hours.length).toBeGreaterThanOrEqual(30)
    expect(world.parked).toEqual([{ integration: 'customer-0', because: 'key_refused' }])
    expect(world.problems).toEqual([])
  })

  it('is probed once by several processes, also if one of them dies', async () => {
    const store = memoryMirror()
    const { world, asked, another } = await refusedCustomer(store)
    await using _ = world
    await world.service.clock.advance('1h')
    await Promise.all([another().work(BUDGET), another().work(BUDGET), world.mirrors.work(BUDGET)])
    expect(asked).toHaveLength(1)
    await world.service.clock.advance('24h')
    const dying = world.another({ store: abandoning(store, 3) })
    await Promise.race([dying.work(BUDGET), world.service.clock.advance('20s')]).catch(() => undefined)
    await workFor(world, 10)
    expect(asked.length).toBeLessThanOrEqual(3)
    expect(asked.length).toBeGreaterThan(1)
  })

  it('is probed again an hour later if the probe failed for another reason', async () => {
    const { world, answers, asked } = await refusedCustomer()
    await using _ = world
    answers.set('customer-0', () => new Response(null, { status: 503 }))
    await workFor(world, HOUR)
    expect(asked).toHaveLength(1)
    expect(await world.mirrors.get('customer-0')).toMatchObject({ state: 'parked', parkedBecause: 'key_refused' })
    expect(world.problems).toHaveLength(1)
    answers.clear()
    await workFor(world, HOUR)
    expect((await world.mirrors.get('customer-0'))?.state).toBe('active')
  })

  it('is probed again after the requested pause if the service limits the rate of the probe', async () => {
    const { world, answers, asked } = await refusedCustomer()
    await using _ = world
    answers.set('customer-0', limitedFor(4 * 3_600))
    await workFor(world, HOUR)
    expect(asked).toHaveLength(1)
    answers.clear()
    await workFor(world, 2 * HOUR)
    expect(asked).toHaveLength(1)
    await workFor(world, 2 * HOUR)
    expect(await world.mirrors.get('customer-0')).toMatchObject({ state: 'active', failures: 0 })
  })

  it('is not probed with another key', async () => {
    const { world, answers, asked } = await refusedCustomer()
    await using _ = world
    answers.clear()
    const [customer] = world.customers
    const channel = world.service.owner.createChannel('of another customer')
    if (customer !== undefined)
      customer.apiKey = world.service.owner.createIntegration({ channels: [channel] }).issueKey().key
    await workFor(world, 2 * DAY)
    expect(asked).toEqual([])
    expect(await world.mirrors.get('customer-0')).toMatchObject({ state: 'parked', parkedBecause: 'key_changed' })
    expect(world.parked.map(({ because }) => because)).toEqual(['key_refused', 'key_changed'])
  })

  it('hides nothing if the probe succeeds, but the key sees fewer notes', async () => {
    const { world, answers } = await addedCustomers(1)
    await using _ = world
    for (let index = 0; index < 4; index += 1) world.customers[0]?.write(`note ${index}`)
    await world.service.clock.advance('1s')
    await world.mirrors.work(BUDGET)
    answers.set('customer-0', () => new Response(null, { status: 403 }))
    await workFor(world, 6)
    answers.set('customer-0', () => Response.json({ notes: [], has_more: false, next_cursor: null }))
    await workFor(world, HOUR)
    expect((await world.mirrors.get('customer-0'))?.state).toBe('active')
    expect(await world.titles('customer-0')).toHaveLength(4)
  })

  /** Lets a process probe, and calls `act` before the service answers with `status`. */
  async function whileProbing(stage: Awaited<ReturnType<typeof refusedCustomer>>, act: () => Promise<unknown>) {
    const { world, answers, another } = stage
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    answers.set('customer-0', async () => {
      asked.resolve()
      await answered.promise
      return new Response(null, { status: 403 })
    })
    await world.service.clock.advance('1h')
    const probing = another().work(BUDGET)
    await asked.promise
    await act()
    answers.clear()
    answered.resolve()
    await probing
  }

  it('stays active if it is resumed during a probe that fails', async () => {
    const stage = await refusedCustomer()
    await using world = stage.world
    await whileProbing(stage, () => world.mirrors.resume('customer-0'))
    expect((await world.mirrors.get('customer-0'))?.state).toBe('active')
    await world.mirrors.work(BUDGET)
    expect(await world.mirrors.get('customer-0')).toMatchObject({ state: 'active', failures: 0 })
  })

  it('stays removed if it is removed during a probe', async () => {
    const stage = await refusedCustomer()
    await using world = stage.world
    await whileProbing(stage, () => world.mirrors.remove('customer-0'))
    await world.mirrors.work(BUDGET)
    expect(await world.mirrors.list()).toEqual([])
    expect(world.resumed).toEqual([])
  })
})

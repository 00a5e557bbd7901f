import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { manyCustomers, receiverOnPort, workFor } from '../fixtures/many-customers.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { SILENT } from '../fixtures/silent-logger.ts'
import { reads } from '../fixtures/store-reads.ts'
import { whileRunning } from '../fixtures/while-running.ts'
import { IntegrationRemovedError, type MirrorStore, type Mirrors } from './index.ts'

const BUDGET = { budgetMs: 60_000 }

describe('mirrors of many integrations', () => {
  it('copy the notes of each customer, and show them to no other customer', async () => {
    await using world = await manyCustomers(5)
    for (const customer of world.customers) {
      customer.write(`of ${customer.integration}`)
      await world.mirrors.add(customer.integration)
    }
    await world.service.settled()
    const { remaining, nextAt } = await world.mirrors.work(BUDGET)
    expect(remaining).toBe(0)
    expect(nextAt).toBeGreaterThan(world.service.clock.now() + 200_000)
    for (const { integration } of world.customers) {
      expect(await world.titles(integration)).toEqual([`of ${integration}`])
    }
    expect(await world.mirrors.of('customer-0').search('customer-1')).toEqual([])
  })

  it('send no request and write nothing while no integration is due', async () => {
    const store = memoryMirror()
    await using world = await manyCustomers(3, { store })
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    await world.mirrors.work(BUDGET)
    const before = [world.asked().length, await store.integrations.list({ after: '', limit: 10 })]
    await world.service.clock.advance('3m')
    await world.mirrors.work(BUDGET)
    expect([world.asked().length, await store.integrations.list({ after: '', limit: 10 })]).toEqual(before)
  })

  it('poll a service once if its answer takes longer than a slice', async () => {
    await using world = await manyCustomers(1)
    const [customer] = world.customers
    let requests = 0
    const slow = world.another({
      connect: () => ({
        baseUrl: world.service.baseUrl,
        apiKey: customer?.apiKey ?? '',
        async fetch(request) {
          requests += 1
          await world.service.clock.advance('2s')
          return await world.service.fetch(request)
        },
      }),
    })
    await slow.add('customer-0')
    await slow.work({ budgetMs: 60_000 })
    expect(requests).toBe(1)
  })

  it('copy a new integration at once, although time passes between two readings of the clock', async () => {
    await using world = await manyCustomers(1)
    const { service, customers, another } = world
    customers[0]?.write('first')
    await service.settled()
    let readings = 0
    const sleep = service.clock.sleep.bind(service.clock)
    const mirrors = another({ clock: { now: () => service.clock.now() + readings++, sleep } })
    await mirrors.add('customer-0')
    await mirrors.work(BUDGET)
    expect(await world.titles('customer-0')).toEqual(['first'])
  })

  it('are kept up to date by run', async () => {
    await using world = await manyCustomers(3)
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    await whileRunning(world.mirrors, async () => {
      await world.service.clock.advance('1m')
      world.customers[1]?.write('late')
      await world.service.clock.advance('6m')
    })
    expect(await world.titles('customer-1')).toEqual(['late'])
    expect(world.problems).toEqual([])
  })

  it('find notes that left without an event once a day', async () => {
    await using world = await manyCustomers(2)
    for (const customer of world.customers) {
      customer.write('stays')
      await world.mirrors.add(customer.integration)
    }
    await world.mirrors.work(BUDGET)
    const [note] = world.service.owner.notes()
    note?.moveTo(world.service.owner.createChannel('elsewhere'))
    await workFor(world, 26 * 60)
    expect(await world.titles('customer-0')).toEqual([])
    expect(await world.titles('customer-1')).toEqual(['stays'])
  })

  it('are listed and counted', async () => {
    await using world = await manyCustomers(3)
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    await world.service.clock.advance('10s')
    expect(await world.mirrors.status()).toEqual({
      active: 3,
      removing: 0,
      parked: { key_changed: 0, key_shared: 0, key_refused: 0 },
      due: 3,
      overdueMs: 10_000,
      backingOff: 0,
      contradictions: 0,
      heldRemovals: 0,
      problems: {},
      endpoints: {},
      longestWithoutSyncMs: null,
      nextAt: null,
      pausedServices: [],
      problem: null,
    })
    await world.mirrors.work(BUDGET)
    const [first] = await world.mirrors.list({ after: 'customer-0', limit: 1 })
    expect(first).toMatchObject({ integration: 'customer-1', state: 'active', failures: 0, endpoint: null })
  })

  it.each(['', 'a/b', 'a b', 'é', 'x'.repeat(129)])('reject the id %j', async (integration) => {
    await using world = await manyCustomers(0)
    await expect(world.mirrors.add(integration)).rejects.toThrow('integration must be')
    expect(() => world.mirrors.of(integration)).toThrow('integration must be')
  })

  it('show one integration, until it is removed', async () => {
    await using world = await manyCustomers(1)
    expect(await world.mirrors.get('customer-0')).toBeUndefined()
    const added = await world.mirrors.add('customer-0')
    expect(await world.mirrors.get('customer-0')).toEqual(added)
    await world.mirrors.remove('customer-0')
    expect(await world.mirrors.get('customer-0')).toBeUndefined()
  })

  it('work on a named integration only', async () => {
    await using world = await manyCustomers(2)
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    const { remaining } = await world.mirrors.work({ ...BUDGET, integration: 'customer-1' })
    expect(remaining).toBe(0)
    expect(world.asked('customer-0')).toEqual([])
    expect(world.asked('customer-1')).not.toEqual([])
  })

  it('end a slice after 500 ms, so that a long backfill delays no other integration', async () => {
    await using world = await manyCustomers(
      2,
      {},
      { faults: [{ request: 'GET /v1/notes', fault: { kind: 'latency', by: 300 } }] },
    )
    const [large, small] = world.customers
    for (let index = 0; index < 450; index += 1) large?.write(`note ${index}`)
    small?.write('small')
    await world.service.settled()
    await world.mirrors.add('customer-0')
    await world.mirrors.work({ budgetMs: 1 })
    await world.mirrors.add('customer-1')
    const working = whileRunning(world.another({}), () => world.service.clock.advance('20s'))
    await working
    expect(await world.titles('customer-1')).toEqual(['small'])
    expect(await world.titles('customer-0')).toHaveLength(450)
  })
})

describe('an invalid call', () => {
  it.each([
    ['run without a signal', (mirrors: Mirrors) => mirrors.run({} as never), 'mirrors.run needs an AbortSignal'],
    [
      'run by no worker',
      (mirrors: Mirrors) => mirrors.run({ signal: AbortSignal.abort(), concurrency: 0 }),
      'concurrency',
    ],
    ['work without a budget', (mirrors: Mirrors) => mirrors.work({} as never), 'budgetMs'],
    ['a misspelt option', (mirrors: Mirrors) => mirrors.work({ budget: 1 } as never), 'budget'],
  ])('is rejected with a next step: %s', async (_what, call, message) => {
    await using world = await manyCustomers(0)
    await expect(call(world.mirrors)).rejects.toThrow(message)
  })
})

describe('a hint', () => {
  it('updates its note within a second, long before the next poll', async () => {
    await using world = await manyCustomers(3)
    await using port = await receiverOnPort(world.mirrors)
    for (const { integration } of world.customers) await world.mirrors.add(integration, port.optionsFor(integration))
    await whileRunning(world.mirrors, async () => {
      await world.service.clock.advance('2m')
      expect(new Set((await world.mirrors.list()).map(({ endpoint }) => endpoint?.status))).toEqual(new Set(['active']))
      const before = world.asked('customer-0').length
      world.customers[2]?.write('hinted')
      await world.service.clock.advance('1s')
      expect(await world.titles('customer-2')).toEqual(['hinted'])
      expect(world.asked('customer-0').length).toBe(before)
    })
    expect(await world.titles('customer-1')).toEqual([])
  })

  it('that another process has stored is worked on, too', async () => {
    await using world = await manyCustomers(2)
    await using port = await receiverOnPort(world.another({}))
    await world.mirrors.add('customer-1', port.optionsFor('customer-1'))
    await whileRunning(world.mirrors, async () => {
      await world.service.clock.advance('2m')
      world.customers[1]?.write('hinted')
      await world.service.clock.advance('1s')
      expect(await world.titles('customer-1')).toEqual(['hinted'])
    })
  })

  it('that arrives during a slice is worked on after it', async () => {
    const memory = memoryMirror()
    let isFinishing: () => Promise<void> = async () => undefined
    const integrations: MirrorStore['integrations'] = Object.create(memory.integrations)
    integrations.write = async (next, read) => {
      if (next !== 'deleted' && read?.leaseUntil && next.leaseUntil === null) await isFinishing()
      return await memory.integrations.write(next, read)
    }
    for (const name of ['list', 'take', 'findHinted', 'count'] as const) {
      integrations[name] = memory.integrations[name].bind(memory.integrations) as never
    }
    await using world = await manyCustomers(1, { store: { ...memory, integrations } })
    await world.mirrors.add('customer-0')
    await world.mirrors.work(BUDGET)
    const receiver = world.mirrors.receivers({ secretOf: (_id) => undefined, logger: SILENT })
    isFinishing = async () => {
      isFinishing = async () => undefined
      const note = world.customers[0]?.write('during')
      const data = { note_id: note?.note_id ?? '', revision: 2 }
      const event = { event_id: 'evt_1', event_type: 'note.updated', data } as const
      await receiver.process(event, { integration: 'customer-0' })
    }
    await world.service.clock.advance('5m')
    await world.mirrors.work(BUDGET)
    expect(await world.titles('customer-0')).toEqual(['during'])
  })
})

describe('an API key', () => {
  it('that changed parks the integration before any request, until it is adopted', async () => {
    await using world = await manyCustomers(2)
    const [customer] = world.customers
    customer?.write('mine')
    await world.mirrors.add('customer-0')
    await world.mirrors.work(BUDGET)
    const before = world.asked().length
    if (customer !== undefined) customer.apiKey = world.customers[1]?.apiKey ?? ''
    await world.service.clock.advance('5m')
    await world.mirrors.work(BUDGET)
    expect(world.asked().length).toBe(before)
    expect(world.parked).toEqual([{ integration: 'customer-0', because: 'key_changed' }])
    expect((await world.mirrors.status()).parked.key_changed).toBe(1)
    expect(await world.titles('customer-0')).toEqual(['mine'])
    await world.mirrors.resume('customer-0')
    await world.mirrors.work(BUDGET)
    expect(world.asked().length).toBe(before)
    await world.mirrors.resume('customer-0', { adoptKey: true })
    await world.mirrors.work(BUDGET)
    expect(world.asked().length).toBeGreaterThan(before)
    expect((await world.mirrors.list())[0]).toMatchObject({ state: 'active', parkedBecause: null })
  })

  it('of two integrations parks the second, before any request', async () => {
    await using world = await manyCustomers(2)
    const [first, second] = world.customers
    if (first !== undefined && second !== undefined) second.apiKey = first.apiKey
    await world.mirrors.add('customer-0')
    await world.mirrors.work(BUDGET)
    await world.mirrors.add('customer-1')
    await world.mirrors.work(BUDGET)
    expect(world.asked('customer-1')).toEqual([])
    expect(world.parked).toEqual([{ integration: 'customer-1', because: 'key_shared' }])
    await world.mirrors.remove('customer-0')
    await world.mirrors.resume('customer-1')
    await world.mirrors.work(BUDGET)
    expect(world.asked('customer-1')).not.toEqual([])
  })

  it('that is refused parks, and is reported once', async () => {
    await using world = await manyCustomers(2)
    const [customer] = world.customers
    const key = customer?.apiKey
    if (customer !== undefined) customer.apiKey = 'ntw_live_unknown.secret'
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    await workFor(world, 45)
    expect(world.asked('customer-0').length).toBe(1)
    expect(world.parked).toEqual([{ integration: 'customer-0', because: 'key_refused' }])
    if (customer !== undefined) customer.apiKey = key ?? ''
  })
})

describe('a connect', () => {
  it('without a key fails, and reads none from the environment', async () => {
    await using world = await manyCustomers(1)
    const { baseUrl, fetch } = world.service
    const mirrors = world.another({ connect: () => ({ baseUrl, fetch }) as never })
    vi.stubEnv('NOTES_API_KEY', world.service.apiKey)
    onTestFinished(() => void vi.unstubAllEnvs())
    await mirrors.add('customer-0')
    await mirrors.work(BUDGET)
    expect(world.service.requests).toEqual([])
    expect(world.problems).toEqual([
      { integration: 'customer-0', error: expect.objectContaining({ option: 'apiKey' }) },
    ])
  })
})

describe('a failure', () => {
  it.each([
    ['throws', () => Promise.reject(new Error('no database'))],
    ['hangs', () => new Promise<never>(() => undefined)],
  ])('of a connect that %s delays its own integration only', async (_how, fail) => {
    await using world = await manyCustomers(20)
    const broken = new Set(world.customers.slice(0, 19).map(({ integration }) => integration))
    const { apiKey = '' } = world.customers[19] ?? {}
    const mirrors = world.another({
      connect: async (integration) =>
        broken.has(integration) ? await fail() : { baseUrl: world.service.baseUrl, apiKey, fetch: world.service.fetch },
    })
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    world.customers[19]?.write('fine')
    await whileRunning(mirrors, () => world.service.clock.advance('30s'))
    expect(await world.titles('customer-19')).toEqual(['fine'])
    expect((await world.mirrors.status()).backingOff).toBe(19)
    expect(new Set(world.problems.map(({ integration }) => integration))).toEqual(broken)
  })

  it('by a rate limit causes the pause that the service requests, even for hints', async () => {
    await using world = await manyCustomers(2)
    await using port = await receiverOnPort(world.mirrors)
    await world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    await world.mirrors.add('customer-1')
    await whileRunning(world.mirrors, async () => {
      await world.service.clock.advance('2m')
      const limit = world.service.faults.inject({
        request: 'GET /v1/notes',
        calls: 1,
        fault: { kind: 'status', status: 429, retryAfter: 900 },
      })
      await world.service.clock.advance('6m')
      limit.remove()
      const limited = (await world.mirrors.list()).find(({ failures }) => failures > 0)?.integration ?? ''
      const before = world.asked(limited).length
      world.customers.find(({ integration }) => integration === limited)?.write('waits')
      await world.service.clock.advance('5m')
      expect(world.asked(limited).length).toBe(before)
      await world.service.clock.advance('10m')
      expect(await world.titles(limited)).toEqual(['waits'])
    })
  })

  it('of the service is retried with growing pauses until it succeeds', async () => {
    await using world = await manyCustomers(3)
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    const outage = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 503 } })
    await workFor(world, 30)
    expect(world.asked('customer-0').length).toBeLessThan(30)
    expect(world.asked('customer-0').length).toBeGreaterThan(5)
    outage.remove()
    world.customers[0]?.write('after')
    await workFor(world, 6)
    expect(await world.titles('customer-0')).toEqual(['after'])
    expect(await world.mirrors.status()).toMatchObject({ active: 3, backingOff: 0 })
  })
})

describe('polls', () => {
  it('become rarer, up to an hour, while events arrive, and frequent again when one finds unannounced changes', async () => {
    await using world = await manyCustomers(1)
    await using port = await receiverOnPort(world.mirrors)
    await world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    const pollsIn = async (minutes: number) => {
      const before = world.asked().filter((request) => request === 'GET /v1/notes').length
      await workFor(world, minutes)
      return world.asked().filter((request) => request === 'GET /v1/notes').length - before
    }
    await workFor(world, 6 * 60)
    world.customers[0]?.write('announced')
    expect(await pollsIn(6 * 60)).toBeLessThanOrEqual(9)
    world.service.faults.inject({ delivery: '*', fault: { kind: 'lost' } })
    world.customers[0]?.write('unannounced')
    for (let minutes = 0; minutes < 60; minutes += 1) {
      if ((await world.titles('customer-0')).includes('unannounced')) break
      await workFor(world, 1)
    }
    expect(await world.titles('customer-0')).toContain('unannounced')
    // 5, 15 and 35 minutes later.
    expect(await pollsIn(40)).toBe(3)
  })

  it('stay frequent without an endpoint', async () => {
    await using world = await manyCustomers(1)
    await world.mirrors.add('customer-0')
    await workFor(world, 180)
    const before = world.asked().length
    await workFor(world, 60)
    expect(world.asked().length - before).toBeGreaterThanOrEqual(12)
  })
})

describe('a removed integration', () => {
  it('cannot be read any more, and is erased by work', async () => {
    const store = memoryMirror()
    await using world = await manyCustomers(2, { store })
    for (const customer of world.customers) {
      customer.write('private')
      await world.mirrors.add(customer.integration)
    }
    await world.mirrors.work(BUDGET)
    const mirror = world.mirrors.of('customer-0')
    const [note] = await reads(store).listNotes('customer-0', '', 1)
    const list = mirror.list()[Symbol.asyncIterator]()
    expect(await mirror.get(note?.state.noteId ?? '')).toBeDefined()
    await list.next()
    expect(await world.mirrors.remove('customer-0')).toBe(true)
    for (const read of [
      () => mirror.get('note_1'),
      () => mirror.search('private'),
      () => mirror.status(),
      () => mirror.explain('note_1'),
      () => list.next(),
      () => mirror.changes()[Symbol.asyncIterator]().next(),
      () => mirror.acceptRemovals('scan_1'),
      () => world.mirrors.of('customer-0').get('note_1'),
      () => world.mirrors.resume('customer-0'),
    ]) {
      await expect(read()).rejects.toThrow(IntegrationRemovedError)
    }
    expect((await world.mirrors.list({ state: 'removing' })).map(({ integration }) => integration)).toEqual([
      'customer-0',
    ])
    await world.mirrors.work(BUDGET)
    expect(await reads(store).listNotes('customer-0', '', 1)).toEqual([])
    expect(await world.mirrors.list()).toHaveLength(1)
    expect(await world.titles('customer-1')).toEqual(['private'])
    expect(await world.mirrors.remove('customer-0')).toBe(false)
  })

  it('that is added again is another copy', async () => {
    await using world = await manyCustomers(1)
    world.customers[0]?.write('private')
    await world.mirrors.add('customer-0')
    await world.mirrors.work(BUDGET)
    const before = world.mirrors.of('customer-0')
    const { position } = await before.status()
    await world.mirrors.remove('customer-0')
    await world.mirrors.add('customer-0')
    expect(await world.titles('customer-0')).toEqual([])
    await world.mirrors.work(BUDGET)
    expect(await world.titles('customer-0')).toEqual(['private'])
    await expect(before.get('note_1')).rejects.toThrow(IntegrationRemovedError)
    const foreign = world.mirrors.of('customer-0').changes({ after: position })
    await expect(foreign[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'position_foreign' })
  })

  it('gets 404 for its events', async () => {
    await using world = await manyCustomers(1)
    await using port = await receiverOnPort(world.mirrors)
    await world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    await whileRunning(world.mirrors, () => world.service.clock.advance('2m'))
    expect(port.answers.at(-1)).toEqual({ integration: 'customer-0', status: 204 })
    await world.mirrors.remove('customer-0')
    world.customers[0]?.write('late')
    await world.service.clock.advance('1s')
    expect(port.answers.at(-1)).toEqual({ integration: 'customer-0', status: 404 })
  })

  it('is not restored by a worker that was working on it', async () => {
    const store = memoryMirror()
    await using world = await manyCustomers(1, { store })
    for (let index = 0; index < 250; index += 1) world.customers[0]?.write(`note ${index}`)
    await world.service.settled()
    await world.mirrors.add('customer-0')
    let pages = 0
    const slow = world.another({
      connect: () => ({
        baseUrl: world.service.baseUrl,
        apiKey: world.customers[0]?.apiKey ?? '',
        async fetch(request: Request) {
          const response = await world.service.fetch(request)
          pages += 1
          if (pages === 2) {
            await world.mirrors.remove('customer-0')
            await world.mirrors.work(BUDGET)
          }
          return response
        },
      }),
    })
    await slow.work(BUDGET)
    expect(await reads(store).listChanges('customer-0', 0, 10)).toEqual([])
    expect(await world.mirrors.list()).toEqual([])
    expect(world.problems).toEqual([])
  })
})

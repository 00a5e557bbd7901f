import { describe, expect, it } from 'vitest'
import { integrationsOf } from '../fixtures/integrations-of.ts'
import { type ManyCustomers, manyCustomers, receiverOnPort } from '../fixtures/many-customers.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { createMirrors } from './index.ts'

const BUDGET = { budgetMs: 60_000 }
const ENDPOINT = { endpoint: 'http://127.0.0.1:9/webhooks', saveSecret: () => undefined }

/** A customer that was added and listed, and a receiver. */
async function aCustomer(count = 1) {
  const world = await manyCustomers(count)
  const port = await receiverOnPort(world.mirrors)
  for (const { integration } of world.customers) await world.mirrors.add(integration)
  await world.mirrors.work(BUDGET)
  return {
    world,
    port,
    setKey(index: number, apiKey: string | undefined) {
      const customer = world.customers[index]
      if (customer !== undefined) customer.apiKey = apiKey ?? ''
    },
    async [Symbol.asyncDispose]() {
      await port[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

/** Advances the clock until the call has ended, for `longestMs` at most. */
async function whileTimePasses<Result>(
  { service }: ManyCustomers,
  longestMs: number,
  call: Promise<Result>,
): Promise<PromiseSettledResult<Result> | 'still waiting'> {
  let outcome: PromiseSettledResult<Result> | undefined
  const ended = Promise.allSettled([call]).then(([settled]) => {
    outcome = settled
  })
  for (let passedMs = 0; passedMs < longestMs && outcome === undefined; passedMs += 1_000) {
    await service.clock.advance('1s')
  }
  await Promise.race([ended, new Promise((resolve) => setImmediate(resolve))])
  return outcome ?? 'still waiting'
}

describe('adding an integration that another worker has taken', () => {
  it('takes it even if the worker has scheduled its next poll', async () => {
    const store = memoryMirror()
    await using world = await manyCustomers(1, { store })
    await using port = await receiverOnPort(world.mirrors)
    await world.mirrors.add('customer-0')
    const integrations = integrationsOf(store)
    const now = world.service.clock.now()
    const taken = await integrations.take({
      now,
      until: now + 60_000,
      worker: 'a test',
      maxRank: 3,
      integration: 'customer-0',
    })
    const adding = world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    await world.service.clock.advance('1s')
    const { record } = taken ?? {}
    const hints = (await integrations.get('customer-0'))?.hints ?? 0
    if (record) await integrations.finish({ ...record, hints }, { ...record, dueAt: now + 3_600_000 }, now)
    expect(await whileTimePasses(world, 5_000, adding)).toMatchObject({ status: 'fulfilled' })
    expect(port.secrets.has('customer-0')).toBe(true)
  })

  it('takes it before other workers if it is new, even if onAudit is slow', async () => {
    await using world = await manyCustomers(1)
    await using port = await receiverOnPort(world.mirrors)
    const onAudit = () => world.mirrors.work(BUDGET)
    await world.another({ hooks: { onAudit } }).add('customer-0', port.optionsFor('customer-0'))
    expect(world.asked()[0]).toBe('GET /v1/webhook-endpoints')
  })

  it('is rejected after 30 s, with a next step', async () => {
    const store = memoryMirror()
    await using world = await manyCustomers(1, { store })
    await world.mirrors.add('customer-0')
    const now = world.service.clock.now()
    await store.integrations.take({ now, until: now + 45_000, worker: 'a test', maxRank: 3, integration: 'customer-0' })
    expect(await whileTimePasses(world, 40_000, world.mirrors.add('customer-0', ENDPOINT))).toMatchObject({
      reason: { code: 'integration_busy', message: expect.stringContaining('again') },
    })
  })
})

describe('a saveSecret that hangs', () => {
  it('rejects add after 10 s, and the next add rotates the secret', async () => {
    await using stage = await aCustomer()
    const { world, port } = stage
    const { endpoint, saveSecret } = port.optionsFor('customer-0')
    const hanging = { endpoint, saveSecret: () => new Promise<void>(() => undefined) }
    const outcome = await whileTimePasses(world, 15_000, world.mirrors.add('customer-0', hanging))
    expect(outcome).toMatchObject({
      reason: { code: 'callback_timed_out', message: expect.stringContaining('saveSecret took longer than 10 s') },
    })
    expect(world.problems).toMatchObject([{ integration: 'customer-0', error: { code: 'callback_timed_out' } }])
    await world.mirrors.add('customer-0', { endpoint, saveSecret })
    expect(world.asked().filter((request) => request.includes('rotate'))).toHaveLength(1)
    expect(port.secrets.has('customer-0')).toBe(true)
  })
})

describe('a connect that hangs', () => {
  it('is reported with the code callback_timed_out', async () => {
    await using world = await manyCustomers(1)
    const mirrors = world.another({ connect: () => new Promise<never>(() => undefined) })
    await mirrors.add('customer-0')
    const working = mirrors.work(BUDGET)
    await whileTimePasses(world, 15_000, working)
    expect(world.problems).toMatchObject([{ integration: 'customer-0', error: { code: 'callback_timed_out' } }])
  })
})

describe('adopting a key', () => {
  it('of another integration is rejected, and changes nothing', async () => {
    await using stage = await aCustomer(2)
    const { world } = stage
    const own = world.customers[0]?.apiKey
    const audited: string[] = []
    const mirrors = world.another({ hooks: { onAudit: ({ act }) => void audited.push(act) } })
    stage.setKey(0, world.customers[1]?.apiKey)
    await expect(mirrors.resume('customer-0', { adoptKey: true })).rejects.toMatchObject({
      code: 'key_shared',
    })
    expect(audited).toEqual([])
    stage.setKey(0, own)
    await world.service.clock.advance('6m')
    await world.mirrors.work(BUDGET)
    expect(world.parked).toEqual([])
    expect(await world.mirrors.get('customer-0')).toMatchObject({ state: 'active', failures: 0 })
  })
})

describe('adding a parked integration', () => {
  it.each([
    ['with an endpoint', true],
    ['without one', false],
  ])('whose key was refused retries the key, %s', async (_how, hasEndpoint) => {
    await using stage = await aCustomer()
    const { world, port } = stage
    const options = hasEndpoint ? port.optionsFor('customer-0') : {}
    const refusal = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 401 } })
    await world.service.clock.advance('6m')
    await world.mirrors.work(BUDGET)
    expect((await world.mirrors.get('customer-0'))?.parkedBecause).toBe('key_refused')
    await expect(world.mirrors.add('customer-0', options)).rejects.toMatchObject({ code: 'unauthorized' })
    expect((await world.mirrors.get('customer-0'))?.parkedBecause).toBe('key_refused')
    refusal.remove()
    expect(await world.mirrors.add('customer-0', options)).toMatchObject({ state: 'active', parkedBecause: null })
    expect(port.secrets.has('customer-0')).toBe(hasEndpoint)
    world.customers[0]?.write('repaired')
    await world.service.clock.advance('6m')
    await world.mirrors.work(BUDGET)
    expect(await world.titles('customer-0')).toEqual(['repaired'])
  })

  it('whose key had the same key id and another secret is active again with the right key', async () => {
    await using stage = await aCustomer()
    const { world } = stage
    const key = world.customers[0]?.apiKey
    const [id] = key?.split('.') ?? []
    stage.setKey(0, `${id}.not-the-secret`)
    await world.service.clock.advance('6m')
    const before = world.service.requests.length
    await world.mirrors.work(BUDGET)
    expect(world.service.requests).toHaveLength(before)
    await expect(world.mirrors.add('customer-0')).rejects.toMatchObject({ code: 'key_changed' })
    stage.setKey(0, key)
    expect(await world.mirrors.add('customer-0')).toMatchObject({ state: 'active', parkedBecause: null })
  })

  it('whose first key was refused accepts another key, because no note was listed', async () => {
    await using world = await manyCustomers(1)
    await using port = await receiverOnPort(world.mirrors)
    const [customer] = world.customers
    const key = customer?.apiKey ?? ''
    if (customer !== undefined) customer.apiKey = 'ntw_live_mistyped.secret'
    const add = () => world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    await expect(add()).rejects.toMatchObject({ code: 'unauthorized' })
    if (customer !== undefined) customer.apiKey = key
    expect(await add()).toMatchObject({ state: 'active', parkedBecause: null })
    expect(port.secrets.has('customer-0')).toBe(true)
  })

  it('whose key another integration uses is rejected until it has its own key', async () => {
    await using stage = await aCustomer(2)
    const { world, port } = stage
    const own = world.customers[1]?.apiKey
    await world.mirrors.remove('customer-1')
    await world.mirrors.work(BUDGET)
    stage.setKey(1, world.customers[0]?.apiKey)
    for (const options of [port.optionsFor('customer-1'), port.optionsFor('customer-1'), {}]) {
      await expect(world.mirrors.add('customer-1', options)).rejects.toMatchObject({ code: 'key_shared' })
    }
    stage.setKey(1, own)
    expect(await world.mirrors.add('customer-1', port.optionsFor('customer-1'))).toMatchObject({ state: 'active' })
  })

  it.each([
    ['with an endpoint', ENDPOINT],
    ['without one', {}],
  ])('whose key changed is rejected, %s, until the key is adopted', async (_how, options) => {
    await using stage = await aCustomer(2)
    const { world } = stage
    const own = world.customers[1]?.apiKey
    await world.mirrors.remove('customer-1')
    await world.mirrors.work(BUDGET)
    stage.setKey(0, own)
    await world.service.clock.advance('6m')
    await world.mirrors.work(BUDGET)
    const before = world.asked('customer-0').length
    await expect(world.mirrors.add('customer-0', options)).rejects.toMatchObject({
      code: 'key_changed',
      message: expect.stringContaining('adoptKey: true'),
    })
    expect(await world.mirrors.get('customer-0')).toMatchObject({ state: 'parked', parkedBecause: 'key_changed' })
    expect(world.asked('customer-0').length).toBe(before)
    await world.mirrors.resume('customer-0', { adoptKey: true })
    expect(await world.mirrors.add('customer-0', options)).toMatchObject({ state: 'active' })
  })
})

describe('options', () => {
  it.each([
    ['a misspelt option of list', ['list', { foo: 1 }], 'foo'],
    ['a negative limit', ['list', { limit: -1 }], 'limit'],
    ['a misspelt adoptKey', ['resume', 'acme', { adoptkey: true }], 'adoptkey'],
    ['a budget in words', ['work', { budgetMs: '500' }], 'budgetMs'],
    ['an endpoint that is no URL', ['add', 'acme', { ...ENDPOINT, endpoint: 'not a url' }], 'endpoint'],
    ['an endpoint of another protocol', ['add', 'acme', { ...ENDPOINT, endpoint: 'ftp://app.example' }], 'endpoint'],
  ] as const)('rejects %s before anything changes', async (_what, [call, ...values], option) => {
    const mirrors = createMirrors({ store: memoryMirror(), connect: () => ({ baseUrl: '', apiKey: '' }) })
    const calls = mirrors as unknown as Record<string, (...values: readonly unknown[]) => Promise<unknown>>
    await expect(calls[call]?.(...values)).rejects.toMatchObject({ code: 'option_invalid', option })
    expect(await mirrors.list()).toEqual([])
  })

  it.each([
    [{ apiKey: 'key' }, 'baseUrl'],
    [{ baseUrl: 'https://notes.example', apiKey: '' }, 'apiKey'],
  ])('names what connect did not return, without advice on the environment: %j', async (access, option) => {
    await using world = await manyCustomers(1)
    const mirrors = world.another({ connect: () => access as never })
    await mirrors.add('customer-0')
    await mirrors.work(BUDGET)
    expect(world.problems).toMatchObject([
      { error: { code: 'option_invalid', option, message: expect.stringContaining('connect returned no') } },
    ])
    expect(String(world.problems[0]?.error)).not.toContain('environment')
  })
})

import { type Clock, systemClock } from '@notewire/protocol'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ManyCustomers, manyCustomers } from '../../../fixtures/many-customers.ts'
import type { Mirrors } from '../../index.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const BUDGET = { budgetMs: 2_000 }

function ahead(clock: Clock, ms: number): Clock {
  return { ...clock, now: () => clock.now() + ms, monotonic: () => clock.now(), sleep: clock.sleep.bind(clock) }
}

function openStore() {
  const store = sqliteMirror(temporaryPath(onTestFinished))
  onTestFinished(() => store.close?.())
  return store
}

describe.each([1, 5, 7, 12, 20, 23])('a clock that was %i hours ahead once', (hours) => {
  it.each(['polls', 'is refused by the service'])(
    'delays no poll by more than six hours, if its worker %s',
    async (act) => {
      await using world = await manyCustomers(1, { store: openStore() })
      const { service, customers, mirrors } = world
      await mirrors.add('customer-0')
      await mirrors.work(BUDGET)
      await service.clock.advance('10m')
      const fault = { kind: 'status', status: 503 } as const
      const outage = act === 'polls' ? undefined : service.faults.inject({ request: '* /v1/**', fault })
      await world.another({ clock: ahead(service.clock, hours * HOUR_MS) }).work(BUDGET)
      outage?.remove()
      customers[0]?.write('new')
      for (let hour = 0; hour <= 6; hour += 1) {
        await mirrors.work(BUDGET)
        await service.clock.advance('1h')
      }
      expect(await world.titles('customer-0')).toEqual(['new'])
    },
  )
})

it('an endpoint that is not active is checked within an hour, although a clock was 20 hours ahead once', async () => {
  await using world = await manyCustomers(1, { store: openStore() })
  const { service, mirrors } = world
  await mirrors.add('customer-0', { endpoint: 'http://127.0.0.1:9/nothing', saveSecret: () => undefined })
  await service.clock.advance('5m')
  await world.another({ clock: ahead(service.clock, 20 * HOUR_MS) }).work(BUDGET)
  await service.clock.advance('1h')
  const checks = () => world.asked().filter((request) => request.startsWith('GET /v1/webhook-endpoints/')).length
  const before = checks()
  await mirrors.work(BUDGET)
  expect(checks()).toBe(before + 1)
})

/** Runs two workers with different clocks on one file, and returns what they did in some seconds, and how often a timer fired. */
async function runBoth(world: ManyCustomers, one: Mirrors, other: Mirrors, ms: number) {
  const end = new AbortController()
  let timers = 0
  const timer = setInterval(() => {
    timers += 1
  }, 20)
  const before = world.asked().length
  const cpu = process.cpuUsage()
  const running = [one, other].map((mirrors) => mirrors.run({ signal: end.signal }))
  await systemClock.sleep(ms)
  end.abort()
  await Promise.all(running)
  clearInterval(timer)
  const { user, system } = process.cpuUsage(cpu)
  return { requests: world.asked().length - before, timers, busy: (user + system) / 1_000 / ms }
}

describe.each([
  ['3 hours', 3 * HOUR_MS],
  ['26 hours', 26 * HOUR_MS],
  ['a year', 365 * DAY_MS],
])('two workers in one process whose clocks are %s apart', (_name, apartMs) => {
  async function twoWorkers() {
    const world = await manyCustomers(3, { store: openStore(), clock: systemClock })
    onTestFinished(() => world[Symbol.asyncDispose]())
    for (const customer of world.customers) {
      customer.write('first')
      await world.mirrors.add(customer.integration)
    }
    const other = world.another({ clock: ahead(systemClock, apartMs) })
    return { world, other }
  }

  it('copy the notes with few requests, and do not block the process', async () => {
    const { world, other } = await twoWorkers()
    const { requests, timers, busy } = await runBoth(world, world.mirrors, other, 4_000)
    // A backfill, a poll of each worker, and the notes with their content, for each of three integrations.
    expect(requests).toBeLessThan(40)
    expect(timers).toBeGreaterThan(100)
    expect(busy).toBeLessThan(0.6)
    for (const { integration } of world.customers) expect(await world.titles(integration)).toEqual(['first'])
  })

  it('wait for the consumer of a removed integration without blocking the process', async () => {
    const { world, other } = await twoWorkers()
    await world.mirrors.work(BUDGET)
    for (const { integration } of world.customers) {
      await world.mirrors.of(integration).consumeDue({ name: 'index', apply: () => undefined })
      await world.mirrors.remove(integration)
    }
    const { requests, timers, busy } = await runBoth(world, world.mirrors, other, 3_000)
    expect(requests).toBe(0)
    expect(timers).toBeGreaterThan(75)
    expect(busy).toBeLessThan(0.6)
  })

  it('erase hidden notes of a parked integration without blocking the process', async () => {
    const { world, other } = await twoWorkers()
    await world.mirrors.work(BUDGET)
    for (const customer of world.customers) customer.apiKey = 'ntw_live_unknown.secret'
    const { timers, busy } = await runBoth(world, world.mirrors, other, 3_000)
    expect(timers).toBeGreaterThan(75)
    expect(busy).toBeLessThan(0.6)
  })
})

it('a worker whose clock jumps ahead again and again within a minute polls each time, as in a test that moves Date', async () => {
  let movedMs = 0
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + movedMs }
  await using world = await manyCustomers(1, { store: openStore(), clock })
  await world.mirrors.add('customer-0')
  await world.mirrors.work(BUDGET)
  for (let hour = 0; hour < 5; hour += 1) {
    movedMs += 61 * MINUTE_MS
    const before = world.asked().length
    await world.mirrors.work(BUDGET)
    expect(world.asked().length).toBe(before + 1)
  }
})

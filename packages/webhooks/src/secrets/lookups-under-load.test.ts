import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { secretOf } from '../../fixtures/secret-of.ts'
import { IntegrationSecrets } from './integration-secrets.ts'

/** A process, and a database of customers whose queries take some time. */
function setUp(queryMs: number, customers: readonly string[]) {
  const clock = new ManualClock()
  const database = { isAway: false, running: 0, mostAtOnce: 0, queries: 0, queryMs }
  const exists = new Set(customers)
  const cache = new IntegrationSecrets(async (integration) => {
    database.queries += 1
    database.running += 1
    database.mostAtOnce = Math.max(database.mostAtOnce, database.running)
    await clock.sleep(database.queryMs)
    database.running -= 1
    if (database.isAway) throw new Error('the database is away')
    return exists.has(integration) ? secretOf(integration) : undefined
  }, clock)

  /** Starts to find the secrets of ids at once, and counts the findings. */
  function find(ids: readonly string[]): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const id of ids) {
      void Promise.resolve(cache.find(id)).then(({ status }) => {
        counts[status] = (counts[status] ?? 0) + 1
      })
    }
    return counts
  }

  /** Finds the secrets of ids at once, until the last is found. */
  async function findAll(ids: readonly string[]): Promise<Record<string, number>> {
    const counts = find(ids)
    await clock.advance(8_000)
    return counts
  }

  /** Forges a second of requests with new ids, spread over it, with one request of each customer in between. */
  async function findDuringFlood(perSecond: number, customers: readonly string[]): Promise<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (let tick = 0; tick < 100; tick += 1) {
      const forged = range(perSecond / 100, `forged-${clock.now()}-`)
      const id = customers[tick]
      // Each time at another place among the forged ones.
      find(forged.slice(0, tick % 10))
      if (id !== undefined) {
        void Promise.resolve(cache.find(id)).then(({ status }) => {
          counts[status] = (counts[status] ?? 0) + 1
        })
      }
      find(forged.slice(tick % 10))
      await clock.advance(10)
    }
    return counts
  }
  return { cache, clock, database, find, findAll, findDuringFlood }
}

function range(count: number, name: string): string[] {
  return Array.from({ length: count }, (_, index) => `${name}${index}`)
}

const THOUSAND = range(1_000, 'customer-')
const HUNDRED = THOUSAND.slice(0, 100)

describe('customers that all deliver at the same moment', () => {
  it('are all found by a new process: 1,000 of them, by at most 32 queries at once', async () => {
    const { database, findAll } = setUp(5, THOUSAND)
    expect(await findAll(THOUSAND)).toEqual({ found: 1_000 })
    expect(database).toMatchObject({ queries: 1_000, mostAtOnce: 32 })
  })

  it.each([61_000, 3_600_000])('are all found by a process that was idle for %i ms', async (idleMs) => {
    const { clock, database, findAll } = setUp(5, THOUSAND)
    await findAll(THOUSAND)
    await clock.advance(idleMs)
    expect(await findAll(THOUSAND)).toEqual({ found: 1_000 })
    expect(database.mostAtOnce).toBe(32)
  })

  it('are all found by a process that knew them a minute ago, if queries are slow: the known secret is used after 2 s', async () => {
    const { clock, database, findAll } = setUp(5, THOUSAND)
    await findAll(THOUSAND)
    await clock.advance(61_000)
    database.queryMs = 1_000
    expect(await findAll(THOUSAND)).toEqual({ found: 1_000 })
    expect(database.mostAtOnce).toBe(32)
  })
})

describe('a flood of 1,000 forged ids a second on a new process', () => {
  it('keeps no customer from being found, if a query takes 5 ms', async () => {
    const { clock, database, findDuringFlood } = setUp(5, HUNDRED)
    await findDuringFlood(1_000, [])
    const counts = await findDuringFlood(1_000, HUNDRED)
    await clock.advance(8_000)
    expect(counts).toEqual({ found: 100 })
    expect(database.mostAtOnce).toBeLessThanOrEqual(32)
  })

  it('keeps two of three new customers from being found, if a query takes 100 ms, and none that is known', async () => {
    const known = range(100, 'known-')
    const { clock, database, findAll, findDuringFlood } = setUp(100, [...HUNDRED, ...known])
    await findAll(known)
    for (let second = 0; second < 5; second += 1) await findDuringFlood(1_000, [])
    const ofNew = await findDuringFlood(1_000, HUNDRED)
    await clock.advance(60_000)
    for (let second = 0; second < 5; second += 1) await findDuringFlood(1_000, [])
    const ofKnown = await findDuringFlood(1_000, known)
    await clock.advance(8_000)
    expect(ofNew['found']).toBeGreaterThan(20)
    expect((ofNew['found'] ?? 0) + (ofNew['limited'] ?? 0)).toBe(100)
    expect(ofKnown).toEqual({ found: 100 })
    expect(database.mostAtOnce).toBe(32)
  })
})

describe('a database that is away for 2 s', () => {
  const CUSTOMERS = THOUSAND.slice(0, 400)

  it('keeps no customer from being found afterwards, and none that is known meanwhile', async () => {
    const { clock, database, find, findAll } = setUp(5, THOUSAND)
    const known = THOUSAND.slice(400, 600)
    await findAll(known)
    await clock.advance(61_000)
    database.isAway = true
    const [ofNew, ofKnown] = [find(CUSTOMERS), find(known)]
    await clock.advance(2_000)
    expect(ofNew).toEqual({ failed: 400 })
    expect(ofKnown).toEqual({ found: 200 })
    database.isAway = false
    expect(await findAll(CUSTOMERS)).toEqual({ found: 400 })
    expect(database.mostAtOnce).toBe(32)
  })

  it('is asked again by new customers as soon as queries that hung have ended or taken 8 s', async () => {
    const { clock, database, find, findAll } = setUp(5, THOUSAND)
    database.queryMs = 1_000_000
    const hung = find(CUSTOMERS)
    await clock.advance(2_000)
    expect(hung).toEqual({ limited: 368 })
    database.queryMs = 5
    await clock.advance(5_999)
    expect(await findAll(['customer-999'])).toEqual({ found: 1 })
    expect(await findAll(CUSTOMERS)).toEqual({ found: 400 })
  })
})

describe('forged signatures for 900 known integrations', () => {
  it('keep no other known integration from being found', async () => {
    const { cache, clock, database, find, findAll } = setUp(5, THOUSAND)
    await findAll(THOUSAND)
    // Longer than a secret can be used.
    await clock.advance(300_000)
    await findAll(THOUSAND.slice(0, 900))
    database.queryMs = 100
    for (const id of THOUSAND.slice(0, 900)) {
      const found = await cache.find(id)
      if (found.status === 'found') void cache.findOther(id, found.check)
    }
    const counts = find(THOUSAND.slice(900))
    await clock.advance(3_000)
    expect(counts).toEqual({ found: 100 })
    expect(database.mostAtOnce).toBe(32)
  })
})

import { isDeepStrictEqual } from 'node:util'
import { systemClock } from '@notewire/protocol'
import { temporaryPath } from 'notewire-test-servers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { integrationsOf } from '../../../fixtures/integrations-of.ts'
import { manyCustomers, workFor } from '../../../fixtures/many-customers.ts'
import { onClock } from '../../../fixtures/on-clock.ts'
import { reads } from '../../../fixtures/store-reads.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { type ConsumerChange, createMirrors, type MirrorStore } from '../../index.ts'
import { sqliteMirror } from '../sqlite/index.ts'
import { postgresMirror } from './index.ts'

const BUDGET = { budgetMs: 60_000 }

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

/** Two processes' connections to one database. */
const places: Readonly<Record<string, () => Promise<readonly [MirrorStore, MirrorStore]>>> = {
  PostgreSQL: async () => {
    const url = await databases.emptyDatabase()
    return [postgresMirror(databases.poolOf(url)), postgresMirror(databases.poolOf(url))]
  },
  SQLite: async () => {
    const path = temporaryPath(onTestFinished)
    const stores = [sqliteMirror(path), sqliteMirror(path)] as const
    onTestFinished(() => {
      for (const store of stores) store.close?.()
    })
    return stores
  },
}

describe.each(Object.entries(places))('integrations in %s', (_name, open) => {
  it('have a problem that one of two processes logs when it begins and when it ends', async () => {
    const [one, two] = await open()
    const lines: string[] = []
    const write = (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
      void lines.push(`${fields['code']}: ${message}`)
    const logger = { info: write, warn: write, error: write }
    await using world = await manyCustomers(1, { store: one, logger })
    await world.mirrors.add('customer-0')
    const outage = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 503 } })
    const workEveryMinute = async () => {
      for (let minute = 0; minute < 6; minute += 1) {
        for (const store of [one, two]) await world.another({ store, logger }).work(BUDGET)
        await world.service.clock.advance('1m')
      }
    }
    await workEveryMinute()
    expect((await world.mirrors.status()).problems).toEqual({ server_error: 1 })
    expect(lines).toEqual([expect.stringMatching(/^server_error: .* not brought up to date/)])
    outage.remove()
    await workEveryMinute()
    expect(lines).toEqual([expect.anything(), expect.stringMatching(/^server_error: .* up to date again/)])
    expect(await world.mirrors.status()).toMatchObject({ problems: {}, longestWithoutSyncMs: expect.any(Number) })
  })

  it('are shared by two processes: one of them does each slice, and each customer has only its own notes', async () => {
    const [one, two] = await open()
    await using world = await manyCustomers(12, { store: one })
    const other = world.another({ store: two })
    for (const customer of world.customers) {
      for (let index = 0; index < 3; index += 1) customer.write(`${customer.integration} ${index}`)
      await world.mirrors.add(customer.integration)
    }
    await Promise.all([world.mirrors.work(BUDGET), other.work(BUDGET)])
    for (const { integration } of world.customers) {
      expect(await world.titles(integration)).toEqual([0, 1, 2].map((index) => `${integration} ${index}`))
      expect(world.asked(integration).filter((request) => request === 'GET /v1/notes')).toHaveLength(1)
    }
    expect(world.problems).toEqual([])
  })

  it('are added with an endpoint while another process works on them', async () => {
    const [one, two] = await open()
    await using world = await manyCustomers(8, { store: one, clock: systemClock })
    const secrets: string[] = []
    const end = new AbortController()
    const running = world.another({ store: two }).run({ signal: end.signal })
    const add = ({ integration }: { readonly integration: string }) =>
      world.mirrors.add(integration, {
        endpoint: `http://127.0.0.1:9/${integration}`,
        saveSecret: () => void secrets.push(integration),
      })
    const added = await Promise.all(world.customers.map(add)).finally(() => end.abort())
    await running
    expect(added.map(({ endpoint }) => endpoint?.id)).toEqual(world.customers.map(() => expect.any(String)))
    expect(secrets.sort()).toEqual(world.customers.map(({ integration }) => integration))
  })

  it('keep every hint that arrives during a slice', async () => {
    const [one, two] = await open()
    await using world = await manyCustomers(4, { store: one })
    const other = world.another({ store: two })
    const receiver = other.receivers({ secretOf: (_integration) => undefined })
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    await world.mirrors.work(BUDGET)
    for (let round = 0; round < 5; round += 1) {
      const hints = world.customers.map(async ({ integration, write }) => {
        const { note_id } = write(`${integration} ${round}`)
        const event = { event_id: `evt_${note_id}`, event_type: 'note.ended', data: { note_id, revision: 2 } }
        const outcome = await receiver.process(event as never, { integration })
        expect(outcome.status).toBe('applied')
      })
      await Promise.all([...hints, world.mirrors.work(BUDGET), other.work(BUDGET)])
    }
    await world.mirrors.work(BUDGET)
    for (const { integration } of world.customers) {
      expect(await world.titles(integration)).toEqual([0, 1, 2, 3, 4].map((round) => `${integration} ${round}`))
    }
  })

  it('are not written by a worker that was frozen until its lease had expired', async () => {
    const [one, two] = await open()
    await using world = await manyCustomers(1, { store: two })
    const [customer] = world.customers
    for (let index = 0; index < 250; index += 1) customer?.write(`note ${index}`)
    await world.mirrors.add('customer-0')
    const [gate, frozen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let pages = 0
    const freezing = createMirrors({
      store: onClock(neverRenewing(one), world.service.clock),
      connect: () => ({
        baseUrl: world.service.baseUrl,
        apiKey: customer?.apiKey ?? '',
        async fetch(request) {
          const response = await world.service.fetch(request)
          pages += 1
          if (pages === 2) {
            frozen.resolve()
            await gate.promise
          }
          return response
        },
      }),
    })
    const working = freezing.work(BUDGET)
    await frozen.promise
    await world.service.clock.advance('61s')
    await workFor(world, 1)
    expect(await world.titles('customer-0')).toHaveLength(250)
    // The sequence may grow, because its numbers only date reads.
    const written = async () => [
      (await two.readProgress('customer-0')).progress,
      await integrationsOf(two).get('customer-0'),
    ]
    const before = await written()
    gate.resolve()
    await working
    expect(await written()).toEqual(before)
  })

  it('are not restored if they are removed during a slice', async () => {
    const [one, two] = await open()
    await using world = await manyCustomers(2, { store: two })
    for (const customer of world.customers) {
      for (let index = 0; index < 150; index += 1) customer.write(`${customer.integration} ${index}`)
      await world.mirrors.add(customer.integration)
    }
    let answers = 0
    const working = createMirrors({
      store: onClock(one, world.service.clock),
      connect: (integration) => ({
        baseUrl: world.service.baseUrl,
        apiKey: world.customers.find((customer) => customer.integration === integration)?.apiKey ?? '',
        async fetch(request) {
          const response = await world.service.fetch(request)
          answers += 1
          if (answers === 20) await world.mirrors.remove('customer-0')
          return response
        },
      }),
    })
    await Promise.all([working.work(BUDGET), world.mirrors.work({ ...BUDGET, integration: 'customer-0' })])
    await world.mirrors.work(BUDGET)
    expect((await world.mirrors.list()).map(({ integration }) => integration)).toEqual(['customer-1'])
    expect(await reads(two).listChanges('customer-0', 0, 10)).toEqual([])
    expect(await world.titles('customer-1')).toHaveLength(150)
  })
})

describe.each(Object.entries(places))('a removal in %s', (_name, open) => {
  it('reaches each consumer once for each note, whatever the consumer has applied before', async () => {
    const [one, two] = await open()
    await using world = await manyCustomers(2, { store: one })
    const other = world.another({ store: two })
    for (const customer of world.customers) {
      for (let index = 0; index < 25; index += 1) customer.write(`${customer.integration} ${index}`)
      await world.mirrors.add(customer.integration)
    }
    await world.mirrors.work(BUDGET)
    const [early, late] = [copyingConsumer('early'), copyingConsumer('late')]
    const consumed = other.of('customer-0')
    while ((await consumed.consumeDue(early.options)).nextAt !== null);
    await consumed.consumeDue({ ...late.options, batchSize: 10 })
    expect([early.notes.size, late.notes.size]).toEqual([25, 10])

    expect(await world.mirrors.remove('customer-0')).toBe(true)
    expect(await consumed.consumeDue(early.options)).toMatchObject({ applied: 0, failed: 0 })
    await world.mirrors.work(BUDGET)
    await expect(consumed.get('note')).rejects.toMatchObject({ code: 'integration_removed' })
    expect(await reads(two).search('customer-0', ['customer'], 10)).toEqual([])
    expect(await world.mirrors.status()).toMatchObject({ active: 1, removing: 1 })
    expect(early.notes.size).toBe(25)

    while ((await consumed.consumeDue(early.options)).nextAt !== null);
    while ((await other.of('customer-0').consumeDue(late.options)).nextAt !== null);
    expect([early.notes.size, late.notes.size]).toEqual([0, 0])
    expect([early.removals, late.removals.slice(0, 10)].map((removals) => new Set(removals).size)).toEqual([25, 10])
    expect(early.removals).toHaveLength(25)
    expect(new Set(late.removals).size).toBe(late.removals.length)

    await world.service.clock.advance('1h')
    await world.mirrors.work(BUDGET)
    expect(await world.mirrors.status()).toMatchObject({ active: 1, removing: 0 })
    await expect(consumed.consumeDue(early.options)).rejects.toMatchObject({ code: 'integration_removed' })
    await consumed.consume({ ...early.options, signal: new AbortController().signal }).catch((error) => {
      expect(error).toMatchObject({ code: 'integration_removed' })
    })
    expect(await reads(two).listChanges('customer-0', 0, 10)).toEqual([])
    expect(await world.titles('customer-1')).toHaveLength(25)
  })

  it('waits seven days for a consumer that does not continue', async () => {
    const [one] = await open()
    await using world = await manyCustomers(1, { store: one })
    world.customers[0]?.write('customer-0 0')
    await world.mirrors.add('customer-0')
    await world.mirrors.work(BUDGET)
    await world.mirrors.of('customer-0').consumeDue(copyingConsumer('gone').options)
    await world.mirrors.remove('customer-0')
    const passDays = async (days: number) => {
      for (let hours = 0; hours < days * 24; hours += 6) {
        await world.service.clock.advance('6h')
        await world.mirrors.work(BUDGET)
      }
    }
    await passDays(6)
    expect(await world.mirrors.list({ state: 'removing' })).toHaveLength(1)
    await passDays(2)
    expect(await world.mirrors.list()).toEqual([])
    expect(await reads(one).listChanges('customer-0', 0, 10)).toEqual([])
  })

  it('that is followed by another add leaves a consumer with the current notes', async () => {
    const [one] = await open()
    await using world = await manyCustomers(1, { store: one })
    const [customer] = world.customers
    const notes = Array.from({ length: 15 }, (_, index) => customer?.write(`customer-0 ${index}`))
    await world.mirrors.add('customer-0')
    await world.mirrors.work(BUDGET)
    const index = copyingConsumer('index')
    await world.mirrors.of('customer-0').consumeDue(index.options)
    const { position } = await world.mirrors.of('customer-0').status()
    await world.mirrors.remove('customer-0')
    for (const note of notes.slice(0, 5)) note?.delete()
    await world.mirrors.add('customer-0')
    const again = world.mirrors.of('customer-0')
    expect(await world.titles('customer-0')).toEqual([])
    await world.mirrors.work(BUDGET)
    expect(await world.titles('customer-0')).toHaveLength(10)
    await expect(again.changes({ after: position })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'position_foreign',
    })
    while ((await again.consumeDue(index.options)).nextAt !== null);
    expect([...index.notes.values()].sort()).toEqual(await world.titles('customer-0'))
  })
})

/** A consumer that stores the titles of the notes, and counts removals. */
function copyingConsumer(name: string) {
  const notes = new Map<string, unknown>()
  const removals: string[] = []
  const apply = (changes: readonly ConsumerChange[]) => {
    for (const change of changes) {
      if (change.kind === 'content') notes.set(change.noteId, change.note.title)
      else {
        notes.delete(change.noteId)
        removals.push(change.noteId)
      }
    }
  }
  return { notes, removals, options: { name, apply } }
}

/** A store whose statements are counted. */
async function countingStore() {
  const pool = databases.poolOf(await databases.emptyDatabase())
  const statements: string[] = []
  const counting = {
    query(text: string, values: unknown[]) {
      statements.push(text)
      return pool.query(text, values)
    },
  }
  return { statements, store: postgresMirror(counting as never) }
}

describe('an empty poll in PostgreSQL', () => {
  it('is one request and three statements', async () => {
    const { statements, store } = await countingStore()
    await using world = await manyCustomers(2, { store, fullListingEveryMs: 30 * 24 * 3_600_000 })
    for (const customer of world.customers) {
      for (let index = 0; index < 3; index += 1) customer.write(`${customer.integration} ${index}`)
      await world.mirrors.add(customer.integration)
    }
    await world.mirrors.work(BUDGET)
    await world.service.clock.advance('2h')
    await world.mirrors.work(BUDGET)

    const during = async (hours: number) => {
      await world.service.clock.advance(`${hours}h`)
      const before = [world.asked().length, statements.length] as const
      await world.mirrors.work({ ...BUDGET, integration: 'customer-0' })
      return { requests: world.asked().length - before[0], statements: statements.slice(before[1]) }
    }
    const idle = await during(0)
    expect(idle.requests).toBe(0)
    const poll = await during(2)
    expect(poll.requests).toBe(1)
    expect(poll.statements).toHaveLength(idle.statements.length + 3)
    expect((await world.mirrors.of('customer-0').status()).polledAt?.getTime()).toBe(world.service.clock.now())
  })
})

describe('a consumer without changes in PostgreSQL', () => {
  it('runs five statements that read', async () => {
    const { statements, store } = await countingStore()
    await using world = await manyCustomers(1, { store })
    await world.mirrors.add('customer-0')
    await world.mirrors.work(BUDGET)
    const consume = () => world.mirrors.of('customer-0').consumeDue(copyingConsumer('index').options)
    await consume()
    const before = statements.length
    await consume()
    const read = statements.slice(before)
    expect(read.map((text) => text.trim().split(/\s/)[0])).toEqual(read.map(() => 'SELECT'))
    expect(read).toHaveLength(5)
  })
})

/** The store of a frozen process: it renews no lease, and does not detect a lost lease. */
function neverRenewing(store: MirrorStore): MirrorStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (name === 'integrations') return withoutRenewals(target.integrations)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

function withoutRenewals(rows: MirrorStore['integrations']): MirrorStore['integrations'] {
  return {
    ...rows,
    async write(next, read) {
      const isLeased = next !== 'deleted' && next.leaseUntil !== null
      const isRenewal = isLeased && isDeepStrictEqual({ ...next, leaseUntil: read?.leaseUntil }, read)
      return isRenewal ? 'written' : await rows.write(next, read)
    },
  }
}

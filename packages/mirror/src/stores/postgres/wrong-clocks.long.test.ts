import { setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { NoteWriter } from '../../../fixtures/consuming/note-writer.ts'
import { integrationsOf } from '../../../fixtures/integrations-of.ts'
import { whileClockIsOff } from '../../../fixtures/machine-clock.ts'
import { type ManyCustomers, manyCustomers } from '../../../fixtures/many-customers.ts'
import { type MirroredService, mirroredService } from '../../../fixtures/mirrored-service.ts'
import { SILENT } from '../../../fixtures/silent-logger.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { LEASE_MS, leaseFrom } from '../../concurrency/lease.ts'
import { type ConsumerChange, type MirrorStore, openMirror } from '../../index.ts'
import { type PostgresMirror, postgresMirror } from './index.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
const OFF = [-YEAR_MS, -HOUR_MS, 40_000, HOUR_MS, 23 * HOUR_MS, 300 * 24 * HOUR_MS] as const
const BUDGET = { budgetMs: 2_000 }
const SECRET = 'whsec_c2VjcmV0LW9mLXRoaXMtdGVzdC1hbmQtbm8tb3RoZXI'

let databases: TestDatabases
let pool: Pool
beforeAll(async () => {
  databases = await startDatabases()
})
beforeEach(async () => {
  pool = databases.poolOf(await databases.emptyDatabase())
  await postgresMirror(pool).migrate()
})
afterAll(() => databases.cleanUp.disposeAsync())

/** Acts as a process on a machine whose clock is off by some milliseconds, with a store of its own. */
function onMachineOff<Result>(
  byMs: number,
  act: (store: PostgresMirror, set: (byMs: number) => void) => Promise<Result>,
): Promise<Result> {
  return whileClockIsOff(byMs, async (set) => {
    const store = postgresMirror(pool)
    await store.migrate()
    return await act(store, set)
  })
}

function take({ integrations, clock }: MirrorStore) {
  return integrations.take({ ...leaseFrom(clock.now()), worker: 'a test', maxRank: 3, integration: 'customer-0' })
}

describe('a worker on a machine whose clock is off', () => {
  async function oneCustomer() {
    const store = postgresMirror(pool)
    const world = await manyCustomers(1, { store, clock: store.clock, pollEveryMs: 50 })
    onTestFinished(() => world[Symbol.asyncDispose]())
    world.customers[0]?.write('first')
    await world.mirrors.add('customer-0')
    await world.mirrors.work(BUDGET)
    return { store, world }
  }

  /** Works until a note is shown, for some seconds at most. */
  async function shows({ mirrors, titles }: ManyCustomers, title: string): Promise<void> {
    const work = async () => {
      await mirrors.work(BUDGET)
      expect(await titles('customer-0')).toContain(title)
    }
    await vi.waitFor(work, { timeout: 4_000, interval: 100 })
  }

  it.each(OFF)('by %d ms delays no later slice', async (byMs) => {
    const { world } = await oneCustomer()
    await sleep(60)
    await onMachineOff(byMs, (store) => world.another({ store, clock: store.clock }).work(BUDGET))
    world.customers[0]?.write('second')
    await shows(world, 'second')
    const { correctAsOf } = await world.mirrors.of('customer-0').status()
    expect(correctAsOf?.getTime() ?? 0).toBeLessThanOrEqual(Date.now() + 1_000)
  })

  it.each(OFF)('by %d ms, when the service limits the rate, pauses only as long as it asks', async (byMs) => {
    const { store, world } = await oneCustomer()
    const [customer] = world.customers
    const fetch = async () => new Response(null, { status: 429, headers: { 'retry-after': '60' } })
    const connect = () => ({ baseUrl: world.service.baseUrl, apiKey: customer?.apiKey ?? '', fetch })
    await onMachineOff(byMs, async (store) => {
      await integrationsOf(store).wake('customer-0', store.clock.now())
      await world.another({ connect, store, clock: store.clock }).work({ ...BUDGET, integration: 'customer-0' })
    })
    const { dueAt, pausedUntil } = (await integrationsOf(store).get('customer-0')) ?? {}
    for (const time of [dueAt, pausedUntil]) expect((time ?? 0) - Date.now()).toBeLessThan(61_000)
  })

  it.each(OFF)('by %d ms holds a lease as long as any other, and takes no live one', async (byMs) => {
    const right = postgresMirror(pool)
    await right.migrate()
    await integrationsOf(right).put('customer-0', 'first', right.clock.now())
    await onMachineOff(byMs, async (store) => expect((await take(store))?.record.token).toBe(1))
    const { leaseUntil } = (await integrationsOf(right).get('customer-0')) ?? {}
    expect(Math.abs((leaseUntil ?? 0) - Date.now() - LEASE_MS)).toBeLessThan(5_000)
    expect(await take(right)).toBeUndefined()
    await onMachineOff(byMs, async (store) => expect(await take(store)).toBeUndefined())
  })

  it('takes an integration from a worker that died before the clock of the server was set back by an hour', async () => {
    const store = postgresMirror(pool)
    await store.migrate()
    await integrationsOf(store).put('customer-0', 'first', store.clock.now())
    expect((await take(store))?.record.token).toBe(1)
    // The same as a clock that is set back.
    await pool.query(
      "UPDATE notewire_integrations SET record = record || jsonb_build_object('leaseUntil', lease_until + 3600000)",
    )
    expect((await take(store))?.record.token).toBe(2)
    expect(await take(store)).toBeUndefined()
  })
})

describe('a mirror on a machine whose clock is off', () => {
  let world: MirroredService
  beforeEach(async () => {
    world = await mirroredService({ notes: 1, clock: 'real' }, {}, { maxRetries: 0 })
    onTestFinished(() => world[Symbol.asyncDispose]())
  })

  const mirrorOn = (store: MirrorStore) => world.another({ store, clock: store.clock })

  async function nextDueIn(store: MirrorStore): Promise<number> {
    return ((await store.readProgress('default')).nextDueAt ?? Number.NaN) - Date.now()
  }

  it.each(OFF)('by %d ms delays the retry of a note only by its pause', async (byMs) => {
    const fault = world.service.faults.inject({
      request: 'GET /v1/notes/*/transcript',
      fault: { kind: 'status', status: 500 },
    })
    await onMachineOff(byMs, (store) => mirrorOn(store).sync())
    const right = postgresMirror(pool)
    expect(Math.abs(await nextDueIn(right))).toBeLessThan(60_000)
    fault.remove()
    await mirrorOn(right).sync({ fullListing: 'now' })
    expect((await mirrorOn(right).status()).notes).toMatchObject({ live: 1 })
  })

  it.each(OFF)('by %d ms, and is set right while content is read, does not delay the next read', async (byMs) => {
    let transcripts = 0
    const { baseUrl, apiKey } = world.service
    await onMachineOff(byMs, async (store, set) => {
      const fetch = async (request: Request) => {
        if (!request.url.endsWith('/transcript')) return await world.service.fetch(request)
        transcripts += 1
        // The announced content is read at the same time as the note, and the content of the note after it.
        if (transcripts === 2) return new Response(null, { status: 503 })
        if (transcripts === 3) set(0)
        return await world.service.fetch(request)
      }
      const client = new NotesClient({ baseUrl, apiKey, maxRetries: 0, fetch })
      const mirror = world.another({ client, store, clock: store.clock })
      await mirror.sync()
      const [note] = world.service.owner.notes()
      note?.edit({ title: 'Edited' })
      const event = anEvent({ kind: 'note.updated', noteId: note?.note_id ?? '', revision: 99 })
      const attempt = await signAttempt(SECRET, event, { signedAt: store.clock.now() })
      const request = new Request('https://receiver.test/', { method: 'POST', ...attempt })
      expect((await mirror.receiver({ secret: SECRET }).fetch(request)).status).toBe(204)
      await mirror.settle()
    })
    // It is read once more at once, because its revision is lower than the announced one.
    expect(transcripts).toBe(4)
    expect(Math.abs(await nextDueIn(postgresMirror(pool)))).toBeLessThan(60_000)
  })

  it.each(OFF)('by %d ms shows no past time that is in the future', async (byMs) => {
    await onMachineOff(byMs, async (store) => {
      await mirrorOn(store).sync()
      await store.commit('default', { notes: [], heardAt: store.clock.now() })
    })
    const { correctAsOf, polledAt, heardAt } = await mirrorOn(postgresMirror(pool)).status()
    expect(correctAsOf?.getTime() ?? 0).toBeLessThanOrEqual(Date.now() + 1_000)
    for (const time of [polledAt, heardAt]) expect(Math.abs((time?.getTime() ?? 0) - Date.now())).toBeLessThan(10_000)
  })
})

describe('a consumer on a machine whose clock is off', () => {
  let notes: NoteWriter
  beforeEach(async () => {
    notes = new NoteWriter(postgresMirror(pool))
    await notes.show('a', 'First')
    await notes.show('b', 'Second')
  })

  type Apply = (changes: readonly ConsumerChange[]) => void | Promise<void>

  const consume = (store: PostgresMirror, apply: Apply = () => undefined) =>
    openMirror({ store, logger: SILENT }).consumeDue({ name: 'index', apply })

  it.each(OFF)('by %d ms holds it no longer than its lease, and takes no live lease', async (byMs) => {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = onMachineOff(byMs, (store) =>
      consume(store, () => {
        begun.resolve()
        return ended.promise
      }),
    )
    await begun.promise
    const right = postgresMirror(pool)
    await right.migrate()
    const { applied, nextAt } = await consume(right)
    ended.resolve()
    await holding
    expect(applied).toBe(0)
    expect(Math.abs((nextAt ?? 0) - right.clock.now() - LEASE_MS)).toBeLessThan(5_000)
    await notes.show('c', 'Third')
    expect(await onMachineOff(byMs, (store) => consume(store))).toMatchObject({ applied: 1 })
  })

  it.each(OFF)('by %d ms delays the retry of a change only by its pause', async (byMs) => {
    const failing: Apply = (changes) => {
      if (changes.some(({ noteId }) => noteId === 'a')) throw new Error('not now')
    }
    await onMachineOff(byMs, (store) => consume(store, failing))
    const right = postgresMirror(pool)
    expect(await consume(right)).toMatchObject({ applied: 0 })
    await sleep(1_100)
    expect(await consume(right)).toMatchObject({ applied: 1, nextAt: null })
  })

  it.each(OFF)('by %d ms delays a backoff only by its pause', async (byMs) => {
    const failing = () => {
      throw new Error('not now')
    }
    await onMachineOff(byMs, (store) => consume(store, failing))
    const { backoff } = await openMirror({ store: postgresMirror(pool) }).consumerStatus('index')
    expect(Math.abs((backoff?.until.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
  })
})

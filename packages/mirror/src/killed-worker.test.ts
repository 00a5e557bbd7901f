import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { manyCustomers, receiverOnPort } from '../fixtures/many-customers.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { mirroredService } from '../fixtures/mirrored-service.ts'
import { SILENT } from '../fixtures/silent-logger.ts'
import { whileRunning } from '../fixtures/while-running.ts'
import { leaseFrom } from './concurrency/lease.ts'
import type { MirrorStore } from './index.ts'
import { sqliteMirror } from './stores/sqlite/sqlite-mirror.ts'

const stores: Readonly<Record<string, () => MirrorStore>> = {
  memory: () => memoryMirror(),
  SQLite: () => sqliteMirror(temporaryPath(onTestFinished)),
}

describe.each(Object.entries(stores))('in %s, after a worker was killed, a hint', (_name, open) => {
  /** A customer whose notes were copied, and whose worker was killed right after it had taken the integration. */
  async function customerOfKilledWorker() {
    const store = open()
    const world = await manyCustomers(1, { store })
    onTestFinished(() => world[Symbol.asyncDispose]())
    const port = await receiverOnPort(world.mirrors)
    onTestFinished(() => port[Symbol.asyncDispose]())
    await world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    const note = world.customers[0]?.write('before')
    await whileRunning(world.mirrors, () => world.service.clock.advance('1m'))
    const { clock } = world.service
    note?.edit({ title: 'hinted' })
    await clock.advance('6s')
    // Its own hint makes the integration due. The worker dies before it has fetched anything.
    expect(
      await store.integrations.take({
        ...leaseFrom(clock.now()),
        worker: 'a test',
        maxRank: 3,
        integration: 'customer-0',
      }),
    ).toBeDefined()
    return { ...world, clock, note }
  }

  it('does not wait for the lease in run', async () => {
    const { mirrors, titles, clock } = await customerOfKilledWorker()
    await whileRunning(mirrors, () => clock.advance('3s'))
    expect(await titles('customer-0')).toEqual(['hinted'])
  })

  it('does not wait for the lease in work, as in a Durable Object that was evicted', async () => {
    const { mirrors, titles } = await customerOfKilledWorker()
    await mirrors.work({ budgetMs: 5_000, integration: 'customer-0' })
    expect(await titles('customer-0')).toEqual(['hinted'])
  })

  it('does not wait for the lease in run of one mirror', async () => {
    const store = open()
    const world = await mirroredService({ notes: 1 }, { store })
    onTestFinished(() => world[Symbol.asyncDispose]())
    const { clock, owner } = world.service
    await world.mirror.sync()
    const own = { integration: 'default', includesSingle: true, isForced: true }
    const killed = { ...leaseFrom(clock.now()), worker: 'a test', maxRank: 3, ...own }
    expect(await store.integrations.take(killed)).toBeDefined()
    const receiver = world.mirror.receiver({
      secret: `whsec_${btoa('a secret of a test that is long')}`,
      logger: SILENT,
    })
    const [note] = owner.notes()
    const { note_id = '', revision = 0 } = note ?? {}
    await whileRunning(world.mirror, async () => {
      await clock.advance('1s')
      note?.edit({ title: 'hinted' })
      const event = { event_id: 'evt_1', event_type: 'note.updated', data: { note_id, revision: revision + 1 } }
      expect(await receiver.process(event as never)).toMatchObject({ status: 'applied' })
      await clock.advance(500)
      expect((await world.mirror.get(note_id))?.note.title).toBe('hinted')
    })
  })

  it('is not fetched with another key than the copy was listed with', async () => {
    const { mirrors, titles, service, customers } = await customerOfKilledWorker()
    const [customer] = customers
    if (customer !== undefined)
      customer.apiKey = service.owner
        .createIntegration({ channels: [service.owner.createChannel('other')] })
        .issueKey().key
    await mirrors.work({ budgetMs: 5_000, integration: 'customer-0' })
    expect(await titles('customer-0')).toEqual(['before'])
  })
})

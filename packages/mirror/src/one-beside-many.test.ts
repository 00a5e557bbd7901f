import { anEvent } from '@notewire/webhooks/testing'
import { expect, it } from 'vitest'
import { manyCustomers } from '../fixtures/many-customers.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { copyIn, mirroredService } from '../fixtures/mirrored-service.ts'
import { onClock } from '../fixtures/on-clock.ts'
import { SILENT } from '../fixtures/silent-logger.ts'
import { createMirror, createMirrors } from './index.ts'

const SECRET = 'whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hLXRlc3Q'

/** `createMirror` and `createMirrors` on one store, with one key. */
async function oneBesideMany() {
  const memory = memoryMirror()
  const world = await mirroredService({ notes: 3 }, { store: memory })
  const { baseUrl, apiKey, fetch, clock } = world.service
  const store = onClock(memory, clock)
  const mirrors = createMirrors({ store, connect: () => ({ baseUrl, apiKey, fetch }), logger: SILENT })
  return { ...world, store, mirrors }
}

it('createMirrors leaves the integration of createMirror alone', async () => {
  const { mirror, mirrors, asked, service } = await oneBesideMany()
  await mirror.sync()
  await service.clock.advance('1h')
  const before = asked().length
  expect(await mirrors.work({ budgetMs: 1_000 })).toEqual({ nextAt: null, remaining: 0 })
  expect(await mirrors.work({ budgetMs: 1_000, integration: 'default' })).toEqual({ nextAt: null, remaining: 0 })
  expect(asked().length).toBe(before)
  expect(await mirrors.get('default')).toBeUndefined()
  expect(await mirrors.list()).toEqual([])
  expect(await mirrors.status()).toMatchObject({ active: 0, due: 0 })
  expect(await mirrors.remove('default')).toBe(false)
  await expect(mirrors.requestFullListing('default')).rejects.toMatchObject({ code: 'integration_removed' })
  await expect(mirrors.resume('default')).rejects.toMatchObject({ code: 'integration_removed' })
  await expect(mirrors.of('default').get('note_1')).rejects.toMatchObject({ code: 'integration_removed' })
  expect((await mirror.status()).notes.live).toBe(3)
})

it('add takes over the copy of createMirror, which then works on the same integration', async () => {
  const { mirror, mirrors, asked } = await oneBesideMany()
  await mirror.sync()
  expect(await mirrors.add('default')).toMatchObject({ integration: 'default', state: 'active' })
  const contents = () => asked().filter((line) => line.endsWith('/transcript')).length
  const before = contents()
  await mirrors.work({ budgetMs: 1_000 })
  expect(contents()).toBe(before)
  expect(await copyIn(mirrors.of('default'))).toHaveLength(3)
  expect(await mirror.sync()).toMatchObject({ listed: true })
  expect(await mirrors.list()).toMatchObject([{ integration: 'default', state: 'active' }])
})

it('a mirror of createMirrors syncs, settles and works by itself', async () => {
  await using world = await manyCustomers(2)
  for (const customer of world.customers) {
    customer.write(customer.integration)
    await world.mirrors.add(customer.integration)
  }
  const one = world.mirrors.of('customer-0')
  expect(await one.sync()).toMatchObject({ listed: true, settled: 1 })
  expect(world.asked('customer-1')).toEqual([])
  expect(await one.work()).toMatchObject({ listed: false })
  expect(await one.settle()).toMatchObject({ settled: 0 })
  expect((await one.status()).problem).toBeNull()
  expect(await world.titles('customer-0')).toEqual(['customer-0'])
})

it('a call for one of many integrations throws its error, and tells the hooks only that the integration is parked', async () => {
  await using world = await manyCustomers(1)
  const [customer] = world.customers
  await world.mirrors.add('customer-0')
  const one = world.mirrors.of('customer-0')
  await one.sync()
  const fault = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 503 } })
  await expect(one.sync()).rejects.toMatchObject({ code: 'server_error' })
  expect(world.problems).toEqual([])
  fault.remove()
  if (customer !== undefined) customer.apiKey = world.service.owner.createIntegration().issueKey().key
  await expect(one.sync()).rejects.toMatchObject({ code: 'key_changed' })
  expect(world.problems).toEqual([])
  expect(world.parked).toMatchObject([{ integration: 'customer-0', because: 'key_changed' }])
})

it('the receiver of a removed integration acknowledges its events', async () => {
  await using world = await manyCustomers(1)
  await world.mirrors.add('customer-0')
  const receiver = world.mirrors.of('customer-0').receiver({ secret: SECRET, logger: SILENT })
  expect(await receiver.process(anEvent({ kind: 'note.updated' }))).toMatchObject({ status: 'applied' })
  await world.mirrors.remove('customer-0')
  expect(await receiver.process(anEvent({ kind: 'note.updated' }))).toMatchObject({ status: 'applied' })
})

it('two mirrors of one store may use one key', async () => {
  const { client, store } = await oneBesideMany()
  const mirrorOf = (integration: string) => createMirror({ client, store, integration, logger: SILENT })
  for (const integration of ['one', 'two']) {
    expect(await mirrorOf(integration).sync()).toMatchObject({ listed: true, settled: 3 })
  }
})

import { describe, expect, it } from 'vitest'
import { integrationsOf } from '../fixtures/integrations-of.ts'
import { manyCustomers } from '../fixtures/many-customers.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { mirroredService } from '../fixtures/mirrored-service.ts'
import type { AuditNotice, MirrorHooks, MirrorStore } from './index.ts'

const BUDGET = { budgetMs: 60_000 }

/** Customers, and the audit trail of their mirrors. */
async function audited(count: number, hooks: MirrorHooks = {}) {
  const trail: AuditNotice[] = []
  const store = memoryMirror()
  const world = await manyCustomers(count, { store, hooks: { onAudit: (notice) => trail.push(notice), ...hooks } })
  return { ...world, store, trail, [Symbol.asyncDispose]: () => world.service.close() }
}

describe('the audit hook of mirrors', () => {
  it('is called with every act, the integration and the time, and never with a key', async () => {
    await using world = await audited(1)
    const { mirrors, customers, service, trail } = world
    const [customer] = customers
    const oldKey = customer?.apiKey ?? ''
    await mirrors.add('customer-0')
    await mirrors.work(BUDGET)
    if (customer !== undefined) customer.apiKey = service.owner.createIntegration().issueKey().key
    await service.clock.advance('10m')
    await mirrors.work(BUDGET)
    await mirrors.resume('customer-0', { adoptKey: true })
    await mirrors.remove('customer-0')
    const at = (minutes: number) => new Date(service.clock.now() - (10 - minutes) * 60_000)
    expect(trail).toEqual([
      { act: 'add', integration: 'customer-0', at: at(0) },
      { act: 'adoptKey', integration: 'customer-0', at: at(10) },
      { act: 'resume', integration: 'customer-0', at: at(10) },
      { act: 'remove', integration: 'customer-0', at: at(10) },
    ])
    for (const key of [oldKey, customer?.apiKey]) expect(JSON.stringify(trail)).not.toContain(key)
  })

  it('is called with the full listing and the number of notes of accepted removals', async () => {
    await using world = await audited(1)
    const { mirrors, customers, service, trail } = world
    for (let index = 0; index < 60; index += 1) customers[0]?.write(`note ${index}`)
    await service.settled()
    await mirrors.add('customer-0')
    await mirrors.work(BUDGET)
    const elsewhere = service.owner.createChannel('elsewhere')
    for (const note of service.owner.notes()) note.moveTo(elsewhere)
    await service.clock.advance('26h')
    await mirrors.work(BUDGET)
    const mirror = mirrors.of('customer-0')
    const [held] = (await mirror.status()).held
    expect(await mirror.acceptRemovals(held?.fullListingId ?? '')).toBe(60)
    expect(trail.at(-1)).toEqual({
      act: 'acceptRemovals',
      integration: 'customer-0',
      at: new Date(service.clock.now()),
      fullListingId: held?.fullListingId,
      removed: 60,
    })
  })

  it('is called with the removals before acceptRemovals failed, and with the remaining ones when it is repeated', async () => {
    await using world = await audited(1)
    const { mirrors, customers, service, trail, store } = world
    for (let index = 0; index < 60; index += 1) customers[0]?.write(`note ${index}`)
    await service.settled()
    await mirrors.add('customer-0')
    await mirrors.work(BUDGET)
    const elsewhere = service.owner.createChannel('elsewhere')
    for (const note of service.owner.notes()) note.moveTo(elsewhere)
    await service.clock.advance('26h')
    await mirrors.work(BUDGET)
    const fullListingId = (await mirrors.of('customer-0').status()).held[0]?.fullListingId ?? ''
    const failing = world.another({ store: failingAfter(store, 2) }).of('customer-0')
    await expect(failing.acceptRemovals(fullListingId)).rejects.toThrow('the database is down')
    await mirrors.of('customer-0').acceptRemovals(fullListingId)
    const removals = trail.flatMap((notice) => (notice.act === 'acceptRemovals' ? [notice.removed] : []))
    expect(removals).toEqual([20, 40])
  })

  it('is not called for an act without effect', async () => {
    await using world = await audited(1)
    const { mirrors, trail } = world
    expect(await mirrors.remove('customer-0')).toBe(false)
    await mirrors.add('customer-0')
    await mirrors.resume('customer-0')
    await expect(mirrors.of('customer-0').acceptRemovals('scan_1')).rejects.toMatchObject({
      code: 'full_listing_unknown',
    })
    expect(trail.map(({ act }) => act)).toEqual(['add'])
  })

  it('is called for `add` although the endpoint could not be registered, because the integration was added', async () => {
    await using world = await audited(1)
    const endpoint = 'https://app.example/webhooks/notes/customer-0'
    const saveSecret = () => Promise.reject(new Error('the database is down'))
    await expect(world.mirrors.add('customer-0', { endpoint, saveSecret })).rejects.toThrow()
    expect(world.trail.map(({ act }) => act)).toEqual(['add'])
  })

  it('is awaited, after the act is stored', async () => {
    const found: unknown[] = []
    await using world = await audited(1, {
      async onAudit({ integration }) {
        await Promise.resolve()
        found.push((await integrationsOf(world.store).get(integration))?.state)
      },
    })
    await world.mirrors.add('customer-0')
    expect(found).toEqual(['active'])
    await world.mirrors.remove('customer-0')
    expect(found).toEqual(['active', 'removing'])
  })

  it.each([
    ['throws', () => fail()],
    ['rejects', () => Promise.reject(new Error('the trail is down'))],
  ])('does not undo the act if it %s: the call succeeds, and onProblem gets the error', async (_how, onAudit) => {
    const problems: unknown[] = []
    await using world = await audited(1, { onAudit, onProblem: (problem) => problems.push(problem) })
    expect(await world.mirrors.add('customer-0')).toMatchObject({ state: 'active' })
    expect(await world.mirrors.remove('customer-0')).toBe(true)
    await expect(world.mirrors.of('customer-0').status()).rejects.toMatchObject({ code: 'integration_removed' })
    const problem = { integration: 'customer-0', error: new Error('the trail is down') }
    expect(problems).toEqual([problem, problem])
  })
})

describe('the audit hook of one mirror', () => {
  it('is called after adoptKey and acceptRemovals', async () => {
    const trail: AuditNotice[] = []
    await using world = await mirroredService({ notes: 60 }, { hooks: { onAudit: (notice) => trail.push(notice) } })
    await world.mirror.sync()
    const elsewhere = world.service.owner.createChannel('elsewhere')
    for (const note of world.service.owner.notes()) note.moveTo(elsewhere)
    await world.mirror.sync({ fullListing: 'now' })
    await world.mirror.acceptRemovals((await world.mirror.status()).held[0]?.fullListingId ?? '')
    await world.mirror.adoptKey()
    expect(trail).toMatchObject([
      { act: 'acceptRemovals', integration: 'default', removed: 60 },
      { act: 'adoptKey', integration: 'default' },
    ])
  })
})

/** A store whose commits fail after a number of commits. */
function failingAfter(store: MirrorStore, commits: number): MirrorStore {
  let left = commits
  const commit: MirrorStore['commit'] = async (...values) => {
    left -= 1
    if (left < 0) throw new Error('the database is down')
    return await store.commit(...values)
  }
  return new Proxy(store, { get: (target, name) => (name === 'commit' ? commit : Reflect.get(target, name, target)) })
}

function fail(): never {
  throw new Error('the trail is down')
}

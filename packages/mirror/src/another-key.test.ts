import { NotesClient } from '@notewire/client'
import type { ContractVariants, IssuedKey } from '@notewire/mock-server'
import { describe, expect, it } from 'vitest'
import { integrationsOf } from '../fixtures/integrations-of.ts'
import { manyCustomers } from '../fixtures/many-customers.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { type MirroredService, mirroredService } from '../fixtures/mirrored-service.ts'
import type { Mirror, MirrorStore } from './index.ts'
import { NO_PROGRESS } from './integrations/progress.ts'

const FORMS: readonly (readonly [string, ContractVariants])[] = [
  ['with a key id', {}],
  ['with "-" and "_" in the prefix', { keyPrefix: 'acme-notes_eu' }],
  ['with symbols in the secret', { keyForm: 'symbols' }],
  ['without a key id', { keyForm: 'without_key_id' }],
]

/** A key that sees the notes of a channel, but no personal notes. */
function keyThatSeesNothing({ service: { owner } }: MirroredService): IssuedKey {
  return owner.createIntegration({ channels: [owner.createChannel('empty')] }).issueKey()
}

function mirrorWith({ service, another }: MirroredService, store: MirrorStore, apiKey: string): Mirror {
  const { baseUrl, fetch } = service
  return another({ store, client: new NotesClient({ baseUrl, apiKey, fetch, maxRetries: 0 }) })
}

describe.each(FORMS)('another key %s', (_form, contract) => {
  it('is rejected before any request, and removes nothing', async () => {
    await using world = await mirroredService({ notes: 10, contract })
    const store = memoryMirror()
    const mirror = world.another({ store })
    await mirror.sync()
    const { key } = keyThatSeesNothing(world)
    const other = mirrorWith(world, store, key)
    const before = world.asked().length
    for (const attempt of [
      () => other.sync(),
      () => other.sync({ fullListing: 'now' }),
      () => other.settle(),
      () => other.work(),
      () => other.run({ signal: AbortSignal.timeout(60_000) }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'key_changed' })
    }
    expect(world.asked().length).toBe(before)
    expect((await mirror.status()).notes).toMatchObject({ live: 10, hidden: 0, gone: 0 })
  })

  it('continues once it is adopted, and the previous key is then rejected', async () => {
    await using world = await mirroredService({ notes: 3, contract })
    const store = memoryMirror()
    await world.another({ store }).sync()
    const { key } = world.service.owner.createIntegration().issueKey()
    const successor = mirrorWith(world, store, key)
    await successor.adoptKey()
    expect((await successor.sync({ fullListing: 'now' })).listed).toBe(true)
    await expect(world.another({ store }).sync()).rejects.toMatchObject({ code: 'key_changed' })
  })

  it('is recognized as the same key by the next process', async () => {
    await using world = await mirroredService({ notes: 3, contract })
    const store = memoryMirror()
    await world.another({ store }).sync()
    expect((await mirrorWith(world, store, world.service.apiKey).sync({ fullListing: 'now' })).listed).toBe(true)
  })

  it('appears neither in an error nor in the store', async () => {
    await using world = await mirroredService({ notes: 1, contract })
    const store = memoryMirror()
    await world.another({ store }).sync()
    const { key } = keyThatSeesNothing(world)
    const error = await mirrorWith(world, store, key).sync().catch(shownBy)
    const stored = JSON.stringify(await store.readProgress('default'))
    for (const secret of [key, world.service.apiKey].map((whole) => whole.slice(-12))) {
      expect(error).not.toContain(secret)
      expect(stored).not.toContain(secret)
    }
  })
})

describe.each([
  ['a mistyped key', {}, (key: string) => key.replace('_live_', '_live_mistyped')],
  ['a mistyped secret', {}, (key: string) => `${key}x`],
  ['a mistyped key without an id', { keyForm: 'without_key_id' }, (key: string) => `${key}x`],
] as const)('%s', (_what, contract, mistyped) => {
  it('is replaced by the right key, because nothing was listed with it', async () => {
    await using world = await mirroredService({ notes: 3, contract })
    const store = memoryMirror()
    const { apiKey } = world.service
    await expect(mirrorWith(world, store, mistyped(apiKey)).sync()).rejects.toMatchObject({ status: 401 })
    expect((await mirrorWith(world, store, apiKey).sync()).listed).toBe(true)
    await expect(mirrorWith(world, store, mistyped(apiKey)).sync()).rejects.toMatchObject({ code: 'key_changed' })
  })

  it.each(['sync', 'settle', 'work', 'acceptReads'] as const)(
    'is replaced by the right key, if %s is the first call with it',
    async (call) => {
      await using world = await mirroredService({ notes: 3, contract })
      const store = memoryMirror()
      const { apiKey } = world.service
      const wrong = mirrorWith(world, store, mistyped(apiKey))
      await wrong.settle()
      await expect(wrong.work()).rejects.toMatchObject({ status: 401 })
      const right = mirrorWith(world, store, apiKey)
      await (call === 'acceptReads' ? right.acceptReads('note_unknown') : right[call]())
      await right.work()
      expect((await right.status()).notes.live).toBe(3)
    },
  )

  it('is replaced by the right key during a pause that the service has asked for', async () => {
    await using world = await mirroredService({ notes: 3, contract })
    const store = memoryMirror()
    const { apiKey, faults } = world.service
    const outage = faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 503, retryAfter: 600 } })
    await expect(mirrorWith(world, store, mistyped(apiKey)).work()).rejects.toMatchObject({ status: 503 })
    outage.remove()
    const right = mirrorWith(world, store, apiKey)
    expect(await right.work()).toMatchObject({ listed: false })
    expect((await right.sync()).listed).toBe(true)
  })
})

describe('a key with the same key id and another secret', () => {
  it('is rejected once a listing has succeeded, and removes nothing', async () => {
    await using world = await mirroredService({ notes: 10 })
    const store = memoryMirror()
    const mirror = world.another({ store })
    await mirror.sync()
    const forged = `${world.service.apiKey.slice(0, -4)}0000`
    const before = world.asked().length
    const other = mirrorWith(world, store, forged)
    await expect(other.sync({ fullListing: 'now' })).rejects.toMatchObject({ code: 'key_changed', recorded: 'key_id' })
    expect(world.asked().length).toBe(before)
    expect((await mirror.sync({ fullListing: 'now' })).listed).toBe(true)
  })

  it('is recorded at the next listing of a copy that version 0.1.0 made', async () => {
    await using world = await mirroredService({ notes: 3 })
    const store = memoryMirror()
    const mirror = world.another({ store })
    await mirror.sync()
    const { progress } = await store.readProgress('default')
    if (progress.key?.kind !== 'key_id') throw new Error('the key has an id')
    const key = { kind: 'key_id', keyId: progress.key.keyId } as const
    await store.commit('default', { notes: [], progress: { ...progress, key } })
    await mirror.sync()
    await expect(mirrorWith(world, store, `${world.service.apiKey}x`).sync()).rejects.toMatchObject({
      code: 'key_changed',
    })
  })
})

describe('of two keys without an id', () => {
  const contract = { keyForm: 'without_key_id' } as const

  it('the error names the form, and contains no digest', async () => {
    await using world = await mirroredService({ notes: 1, contract })
    const store = memoryMirror()
    await world.another({ store }).sync()
    const error = await mirrorWith(world, store, keyThatSeesNothing(world).key)
      .sync()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'key_changed', keyId: undefined, recorded: 'digest' })
    const { key } = (await store.readProgress('default')).progress
    if (key?.kind !== 'digest') throw new Error('the key has no id, so that a digest is recorded')
    expect(shownBy(error)).not.toContain(key.digest)
  })

  it('the first key is recorded when two processes start concurrently on an empty copy', async () => {
    await using world = await mirroredService({ notes: 10, contract })
    const store = memoryMirror()
    const mirrors = [world.another({ store }), mirrorWith(world, store, keyThatSeesNothing(world).key)]
    const syncs = Promise.allSettled(mirrors.map((mirror) => mirror.sync({ fullListing: 'now' })))
    // The second waits until the first has listed.
    const waiting = setInterval(() => void world.service.clock.advance(100), 1)
    const outcomes = await syncs.finally(() => clearInterval(waiting))
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused).toMatchObject([{ reason: { code: 'key_changed' } }])
  })

  it('the digests differ between two copies', async () => {
    await using world = await mirroredService({ notes: 1, contract })
    const recorded = async () => {
      const store = memoryMirror()
      await world.another({ store }).sync()
      return (await store.readProgress('default')).progress.key
    }
    expect(await recorded()).not.toEqual(await recorded())
  })
})

describe('a copy with notes that does not record its key', () => {
  it('rejects every key until one is adopted', async () => {
    await using world = await mirroredService({ notes: 5 })
    const store = memoryMirror()
    const mirror = world.another({ store })
    await mirror.sync()
    const { progress } = await store.readProgress('default')
    await store.commit('default', { notes: [], progress: { ...progress, key: null } })
    await expect(mirror.sync()).rejects.toMatchObject({ code: 'key_changed', keyId: undefined, recorded: 'nothing' })
    await expect(mirror.settle()).rejects.toMatchObject({ code: 'key_changed' })
    await mirror.adoptKey()
    expect((await mirror.sync({ fullListing: 'now' })).listed).toBe(true)
  })

  it('records the first key while it contains only hints of events', async () => {
    await using world = await mirroredService({ notes: 1 })
    await world.service.connect((secret) => world.mirror.receiver({ secret }).fetch)
    world.service.owner.record().end()
    await world.service.settled()
    expect((await world.mirror.sync()).listed).toBe(true)
    expect((await world.mirror.status()).notes.live).toBe(2)
  })
})

describe('settle of a copy that records no key', () => {
  async function withHint() {
    const world = await mirroredService({ notes: 0 })
    const store = memoryMirror()
    const mirror = world.another({ store })
    await world.service.connect((secret) => mirror.receiver({ secret }).fetch)
    world.service.owner.record().end()
    await world.service.settled()
    return { world, store, mirror, keyIn: async () => (await store.readProgress('default')).progress.key }
  }

  it('records the key under the lease, and fetches the notes', async () => {
    const { world, store, mirror, keyIn } = await withHint()
    await using _ = world
    expect(await keyIn()).toBeNull()
    expect((await mirror.settle()).settled).toBe(1)
    expect(await keyIn()).toMatchObject({ kind: 'key_id' })
    expect(await integrationsOf(store).get('default')).toMatchObject({ leaseUntil: null, token: 1 })
  })

  it('waits until the worker with the lease has recorded one', async () => {
    const { world, store, mirror, keyIn } = await withHint()
    await using _ = world
    const now = world.service.clock.now()
    const lease = { now, until: now + 30_000, worker: 'another', maxRank: 3, includesSingle: true }
    const taken = await store.integrations.take(lease)
    const settling = mirror.settle()
    await world.service.clock.advance('1s')
    expect(await keyIn()).toBeNull()
    const key = await world.client.identifyKey(taken?.record.generation ?? '')
    const progress = { ...NO_PROGRESS, key }
    expect(await store.commit('default', { notes: [], progress, fence: taken?.record })).toBe('committed')
    await world.service.clock.advance('1s')
    expect((await settling).settled).toBe(1)
    expect((await integrationsOf(store).get('default'))?.token).toBe(taken?.record.token)
  })
})

describe('settle of a process that stops between reading the key and counting the notes', () => {
  it('checks the key that another process has recorded meanwhile', async () => {
    await using world = await mirroredService({ notes: 0 })
    const { clock, owner } = world.service
    const store = memoryMirror()
    const other = world.another({ store })
    let hasStopped = false
    const count = async (integration: string) => {
      if (!hasStopped) {
        hasStopped = true
        await clock.advance('31s')
        expect((await other.settle()).settled).toBe(1)
      }
      return await store.count(integration)
    }
    const mirror = world.another({ store: { ...store, count } })
    await world.service.connect((secret) => mirror.receiver({ secret }).fetch)
    owner.record().end()
    await world.service.settled()
    expect(await mirror.settle()).toMatchObject({ settled: 0 })
    expect(hasStopped).toBe(true)
    const refused = mirrorWith(world, store, keyThatSeesNothing(world).key).settle()
    await expect(refused).rejects.toMatchObject({ code: 'key_changed', recorded: 'key_id' })
  })
})

describe('settle of an integration that is removed before its first key is recorded', () => {
  it.each(['removed', 'erased'])('rejects, and records no key: %s', async (how) => {
    const store = memoryMirror()
    await using world = await manyCustomers(1, { store })
    const [customer] = world.customers
    await world.mirrors.add('customer-0')
    const removing = world.another({
      connect: async (integration) => {
        await world.mirrors.remove(integration)
        if (how === 'erased') await world.mirrors.work({ budgetMs: 1_000 })
        const { baseUrl, fetch } = world.service
        return { baseUrl, apiKey: customer?.apiKey ?? '', fetch }
      },
    })
    await expect(removing.of('customer-0').settle()).rejects.toMatchObject({ code: 'integration_removed' })
    expect((await store.readProgress('customer-0')).progress.key).toBeNull()
  })
})

describe('a user’s own client', () => {
  it('that wraps a NotesClient is identified by its key', async () => {
    await using world = await mirroredService({ notes: 3, contract: { keyForm: 'without_key_id' } })
    const store = memoryMirror()
    await world.another({ store }).sync()
    expect((await world.another({ store, client: { ...world.client } }).sync()).listed).toBe(true)
  })
})

it('a full listing that was begun with another key is restarted with the adopted key', async () => {
  await using world = await mirroredService({ notes: 250 })
  const store = memoryMirror()
  await world.another({ store }).sync()
  const end = new AbortController()
  const hooks = {
    onProgress: ({ phase }: { readonly phase: string }) => phase === 'full-listing' && end.abort(new Error('end')),
  }
  await expect(world.another({ store, hooks }).sync({ fullListing: 'now', signal: end.signal })).rejects.toThrow('end')
  expect((await store.readProgress('default')).progress.fullListing).not.toBeNull()
  await mirrorWith(world, store, world.service.owner.createIntegration().issueKey().key).adoptKey()
  expect((await store.readProgress('default')).progress.fullListing).toBeNull()
})

function shownBy(error: unknown): string {
  return error instanceof Error ? `${error.stack}${JSON.stringify(error)}${String(error.cause)}` : JSON.stringify(error)
}

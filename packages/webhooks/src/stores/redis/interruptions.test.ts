import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { type Redis as RedisServer, startRedis } from 'notewire-test-servers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRequest, claimed } from '../../../fixtures/stores/redis/claims.ts'
import { clientMakers, type TestClient } from '../../../fixtures/stores/redis/clients.ts'
import type { ReceiverStore } from '../../interfaces/store.ts'
import { redisStore } from './redis-store.ts'

const EVENTS = 300
const NOTES = 10

const makers = clientMakers.filter(({ name }) => ['ioredis', 'redis'].includes(name))

describe.each(makers)('the store in Redis, by $name', ({ connect }) => {
  let server: RedisServer
  let client: TestClient
  let admin: Redis
  let store: ReceiverStore
  beforeAll(async () => {
    server = await startRedis({ durable: true })
    client = await connect(server.port)
    admin = new Redis(server.port)
    admin.on('error', () => undefined)
    store = redisStore(client.client)
  })
  afterAll(async () => {
    client.close()
    admin.disconnect()
    await server.stop()
  })

  it('continues while all scripts are flushed', async () => {
    const integration = crypto.randomUUID()
    const { stop } = repeat(2, () => admin.script('FLUSH'))
    for (let event = 0; event < EVENTS; event += 1) {
      const claim = await claimed(store, aRequest({ integration, eventId: `${event}`, note: undefined }))
      expect(await store.renew(claim, 20_000)).toBe('renewed')
      expect(await store.commit(claim)).toBe('committed')
    }
    await stop()
  })

  it('loses no event and applies none twice while connections are closed', async () => {
    const { stop } = repeat(20, () => admin.call('CLIENT', 'KILL', 'SKIPME', 'yes'))
    const run = await applyAll(store)
    expect(await stop()).toBeGreaterThan(2)
    expect(run).toEqual({ unprocessed: [], committedTwice: [], lowered: [] })
  })

  it('loses no event and applies none twice while a durable server crashes', async () => {
    // A limited number of crashes, because a slow machine may process no event between two crashes.
    const { stop } = repeat(80, () => server.crashAndRestart(), 20)
    const run = await applyAll(store)
    expect(await stop()).toBeGreaterThan(0)
    expect(run).toEqual({ unprocessed: [], committedTwice: [], lowered: [] })
  })
})

/** Does what the service and eight instances do: sends every event again until it is processed. */
async function applyAll(store: ReceiverStore) {
  const integration = crypto.randomUUID()
  const committed: { readonly noteId: string; readonly revision: number; readonly eventId: string }[] = []
  const unprocessed = new Set(Array.from({ length: EVENTS }, (_, event) => event))

  async function attempt(event: number): Promise<void> {
    const noteId = `note_${event % NOTES}`
    const revision = event
    const note = { noteId, change: { kind: 'note.updated', revision } } as const
    const result = await store.claim(aRequest({ integration, eventId: `event_${event}`, note, leaseMs: 200 }))
    if (result.status === 'busy') return
    if (result.status === 'claimed') {
      await sleep(2)
      if ((await store.commit(result.claim)) === 'lost') return
      committed.push({ noteId, revision, eventId: `event_${event}` })
    }
    unprocessed.delete(event)
  }

  const giveUpAt = Date.now() + 90_000
  while (unprocessed.size > 0 && Date.now() < giveUpAt) {
    const round = [...unprocessed]
    await Promise.all(
      Array.from({ length: 8 }, async (_, instance) => {
        for (const event of round.filter((each) => each % 8 === instance)) await attempt(event).catch(() => sleep(5))
      }),
    )
  }
  const ids = committed.map(({ eventId }) => eventId)
  return {
    unprocessed: [...unprocessed],
    committedTwice: ids.filter((id, index) => ids.indexOf(id) !== index),
    lowered: committed.filter(({ noteId, revision }, index) =>
      committed.slice(0, index).some((earlier) => earlier.noteId === noteId && earlier.revision > revision),
    ),
  }
}

/** Repeats an action until `stop` is called, at most `most` times. `stop` returns how often it ran. */
function repeat(
  pauseMs: number,
  act: () => Promise<unknown>,
  most = Number.POSITIVE_INFINITY,
): { stop(): Promise<number> } {
  const stopped = new AbortController()
  const acting = (async () => {
    for (let times = 0; times < most; times += 1) {
      await sleep(pauseMs)
      if (stopped.signal.aborted) return times
      await act()
    }
    return most
  })()
  return {
    stop: () => {
      stopped.abort()
      return acting
    },
  }
}

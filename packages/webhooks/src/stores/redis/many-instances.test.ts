import { type Redis as RedisServer, startRedis } from 'notewire-test-servers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aRequest } from '../../../fixtures/stores/redis/claims.ts'
import { clientMakers, type TestClient } from '../../../fixtures/stores/redis/clients.ts'
import type { ClaimRequest, ReceiverStore } from '../../interfaces/store.ts'
import { redisStore } from './redis-store.ts'

const CLIENTS = 16
const CLAIMS_EACH = 2_000
const EVENTS = 4_000
const NOTES = 100

let server: RedisServer
let clients: readonly TestClient[]
beforeAll(async () => {
  server = await startRedis()
  // Without clients that have a key prefix, because they would use other keys.
  const makers = clientMakers.filter(({ name }) => !name.includes('prefix'))
  const chosen = Array.from({ length: CLIENTS }, (_, index) => makers[index % makers.length])
  clients = await Promise.all(chosen.flatMap((maker) => maker?.connect(server.port) ?? []))
})
afterAll(async () => {
  for (const client of clients) client.close()
  await server.stop()
})

it(`${CLIENTS} clients with ${CLAIMS_EACH} claims each apply every event at most once, and never an older revision`, async () => {
  const integration = 'busy'
  const revisions = new Map<string, number>()
  const applied = new Map<string, number>()
  const held = new Set<string>()

  function request(event: number): ClaimRequest {
    const noteId = `note_${event % NOTES}`
    const change = { kind: 'note.updated', revision: Math.floor(event / NOTES) } as const
    return aRequest({ integration, eventId: `event_${event}`, note: { noteId, change }, gate: 'strict' })
  }

  async function work(store: ReceiverStore, event: number): Promise<string> {
    const result = await store.claim(request(event))
    if (result.status !== 'claimed') return result.status
    const { eventId, note } = result.claim.request
    const noteId = note?.noteId ?? ''
    const revision = note?.change?.revision ?? 0
    expect(held).not.toContain(noteId)
    held.add(noteId)
    expect(revision).toBeGreaterThan(revisions.get(noteId) ?? -1)
    await new Promise(setImmediate)
    revisions.set(noteId, revision)
    applied.set(eventId, (applied.get(eventId) ?? 0) + 1)
    held.delete(noteId)
    return await store.commit(result.claim)
  }

  const answers = await Promise.all(
    clients.map(async ({ client }, index) => {
      const store = redisStore(client)
      const statuses = new Set<string>()
      // Every client has the events in a different order, and shares each event with other clients.
      for (let turn = 0; turn < CLAIMS_EACH; turn += 1)
        statuses.add(await work(store, (turn * 3 + index * 97) % EVENTS))
      return statuses
    }),
  )
  expect(new Set(answers.flatMap((statuses) => [...statuses]))).toEqual(
    new Set(['committed', 'duplicate', 'stale', 'busy']),
  )

  // Send the events again that were always busy.
  const [lastStore] = clients.map(({ client }) => redisStore(client))
  for (let event = 0; lastStore && event < EVENTS; event += 1) await work(lastStore, event)
  expect(new Set(applied.values())).toEqual(new Set([1]))
  expect(revisions.size).toBe(NOTES)
  expect(new Set(revisions.values())).toEqual(new Set([EVENTS / NOTES - 1]))
})

import { setImmediate as nextTurn } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { describe, expect, it, vi } from 'vitest'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { copyIn, mirroredService, truthOf } from '../../fixtures/mirrored-service.ts'
import type { MirrorCommit } from '../stores/mirror-store.ts'

/**
 * A service that cannot read single notes, and a client that has found this out.
 *
 * @param answer  answers a request for a transcript, or returns `undefined` to let the service answer
 */
async function listOnlyService(notes: number, answer: (noteId: string) => Promise<Response | undefined>) {
  const world = await mirroredService({ notes, contract: { noteOperation: 'absent' } })
  const { baseUrl, apiKey } = world.service
  const client = new NotesClient({
    baseUrl,
    apiKey,
    async fetch(request) {
      const [, noteId] = /\/notes\/([^/]+)\/transcript$/.exec(new URL(request.url).pathname) ?? []
      return (noteId && (await answer(noteId))) || (await world.service.fetch(request))
    },
  })
  await client.notes.get(world.service.owner.notes()[0]?.note_id ?? '')
  expect(client.notes.readsFromList).toBe(true)
  const clock = { now: () => world.service.clock.now(), sleep: () => nextTurn() }
  return { world, client, clock }
}

describe('with a service that cannot read single notes', () => {
  it('the content of a note is written while another is read', async () => {
    const late = Promise.withResolvers<undefined>()
    let lateId: string | undefined
    const { world, client, clock } = await listOnlyService(30, async (noteId) => {
      lateId ??= noteId
      return noteId === lateId ? await late.promise : undefined
    })
    await using _ = world
    const mirror = world.another({ client, clock })
    const synced = mirror.sync()
    await vi.waitFor(async () => expect((await mirror.status()).notes).toMatchObject({ live: 30, unsettled: 1 }))
    late.resolve(undefined)
    await synced
    expect(await copyIn(mirror)).toEqual(await truthOf(world.client))
  })

  it('no request is sent after the store has failed', async () => {
    let requests = 0
    let unreadable: string | undefined
    const { world, client, clock } = await listOnlyService(40, async (noteId) => {
      requests += 1
      if (requests === 5) unreadable = noteId
      return noteId === unreadable ? Response.json({ text: 7 }) : undefined
    })
    await using _ = world
    const inner = memoryMirror()
    const store = {
      ...inner,
      async commit(integration: string, commit: MirrorCommit) {
        if (commit.notes.some(({ state }) => state.failures > 0)) throw new Error('disk full')
        return await inner.commit(integration, commit)
      },
    }
    await expect(world.another({ client, clock, store, concurrency: 1 }).sync()).rejects.toThrow('disk full')
    const requestsBefore = requests
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(requests).toBe(requestsBefore)
  })
})

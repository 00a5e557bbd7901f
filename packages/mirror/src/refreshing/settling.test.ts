import { NotesClient } from '@notewire/client'
import { describe, expect, it, vi } from 'vitest'
import { copyIn, mirroredService, truthOf } from '../fixtures/mirrored-service.ts'
import { type MirrorCommit, memoryMirror } from '../index.ts'

/** A store that records how many transcripts each commit contains. */
function countingStore() {
  const store = memoryMirror()
  const transcripts: number[] = []
  const commit = async (integration: string, commit: MirrorCommit) => {
    const count = commit.notes.filter(({ content }) => content !== 'erase' && content?.transcript !== undefined).length
    if (count > 0) transcripts.push(count)
    return await store.commit(integration, commit)
  }
  return { transcripts, store: { ...store, commit } }
}

describe('the content of listed notes', () => {
  it('is written in commits of 16 notes', async () => {
    const { store, transcripts } = countingStore()
    await using world = await mirroredService({ notes: 40 }, { store })
    await world.mirror.sync()
    expect(transcripts.slice(0, 2)).toEqual([16, 16])
    expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
  })

  it('is written if no other note is read', async () => {
    const { store, transcripts } = countingStore()
    await using world = await mirroredService({ notes: 3 }, { store, concurrency: 1 })
    await world.mirror.sync()
    expect(transcripts).toEqual([3])
  })

  it('does not wait for a note whose content arrives late', async () => {
    await using world = await mirroredService({ notes: 6 })
    const answer = Promise.withResolvers<void>()
    const clock = { now: () => world.service.clock.now(), sleep: async () => undefined }
    let transcripts = 0
    const { baseUrl, apiKey } = world.service
    const client = new NotesClient({
      baseUrl,
      apiKey,
      async fetch(request) {
        if (request.url.endsWith('/transcript')) transcripts += 1
        if (request.url.endsWith('/transcript') && transcripts === 1) await answer.promise
        return await world.service.fetch(request)
      },
    })
    const mirror = world.another({ client, clock })
    const synced = mirror.sync()
    await vi.waitFor(async () => expect((await mirror.status()).notes).toMatchObject({ live: 6, unsettled: 1 }))
    answer.resolve()
    await synced
    expect(await copyIn(mirror)).toEqual(await truthOf(world.client))
  })
})

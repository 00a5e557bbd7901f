import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { expect, it } from 'vitest'
import { abandoning } from '../../fixtures/abandoning-store.ts'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { copyIn, mirroredService, truthOf } from '../../fixtures/mirrored-service.ts'
import { onClock } from '../../fixtures/on-clock.ts'
import { withMembers } from '../../fixtures/with-members.ts'
import { createMirror } from '../index.ts'

const EDITS = 11

function storeWithSmallCommits() {
  return Object.assign(memoryMirror(), { mostEditsPerCommit: 4 })
}

it('a poll that dies between the commits of a page is continued by the next one, whichever store operation was the last', async () => {
  const store = storeWithSmallCommits()
  await using world = await mirroredService({ notes: 20 }, { store })
  await world.mirror.sync()
  let rounds = 0
  for (let calls = 3; calls < 30; calls += 2) {
    rounds += 1
    for (const note of world.service.owner.notes().slice(0, EDITS)) note.edit({ title: `Edited ${rounds}` })
    await world.service.clock.advance('1h')
    const dying = world.another({ store: abandoning(store, calls) })
    await Promise.race([dying.sync(), world.service.clock.advance('20s')])
    await world.service.clock.advance('1h')
    await world.mirror.sync()
    expect(await copyIn(world.mirror), `after ${calls} calls`).toEqual(await truthOf(world.client))
  }
})

it('the checkpoint of a page is committed with its last notes, and not before', async () => {
  const store = storeWithSmallCommits()
  const commits: { readonly notes: number; readonly checkpoint: string | null | undefined }[] = []
  const recording = withMembers(store, {
    commit: (integration, commit) => {
      commits.push({ notes: commit.notes.length, checkpoint: commit.progress?.poll.checkpoint })
      return store.commit(integration, commit)
    },
  })
  await using world = await mirroredService({ notes: 20 }, { store, keep: ['note'] })
  await world.mirror.sync()
  const { checkpoint } = (await store.readProgress('default')).progress.poll
  for (const note of world.service.owner.notes().slice(0, EDITS)) note.edit({ title: 'Edited' })
  await world.service.clock.advance('1h')
  await world.another({ store: recording, keep: ['note'] }).sync()
  const pages = commits.filter(({ notes }) => notes > 0)
  expect(pages.map(({ notes }) => notes)).toEqual([4, 4, 3])
  expect(pages.slice(0, -1).every((page) => page.checkpoint === checkpoint)).toBe(true)
  expect(pages.at(-1)?.checkpoint).not.toBe(checkpoint)
})

it('a full listing that dies between the commits of a page counts no note twice', async () => {
  const { clock } = await createNotesService()
  // A service that ignores `limit`. One record has no id.
  const notes = Array.from({ length: 1_200 }, (_, index) => ({ note_id: `note_${index}`, revision: 1 }))
  const fetch = async () => Response.json({ notes: [...notes, { revision: 1 }], has_more: false })
  const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k1.secret', fetch })
  const store = memoryMirror()
  const mirrorOn = (of: typeof store) => createMirror({ client, store: onClock(of, clock), keep: [] })
  await mirrorOn(store).sync({ fullListing: 'never' })
  for (let calls = 5; calls < 17; calls += 2) {
    const dying = mirrorOn(abandoning(store, calls)).sync({ fullListing: 'now' })
    await Promise.race([dying, clock.advance('20s')])
    // A full listing is due, or under way.
    await clock.advance('25h')
    await mirrorOn(store).sync()
    expect((await mirrorOn(store).status()).lastFullListing, `after ${calls} calls`).toMatchObject({
      seen: 1_200,
      unidentified: 1,
    })
  }
})

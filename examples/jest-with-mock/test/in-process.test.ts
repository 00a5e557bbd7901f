import { expect, test } from '@jest/globals'
import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { TitleIndex } from '../src/title-index.ts'

test('the index is updated when notes end, change and are deleted', async () => {
  await using service = await createNotesService()
  const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch })
  const index = new TitleIndex(client)
  // The service calls the receiver without a socket, and both use the same clock.
  await service.connect((secret) => index.receiver({ secret, clock: service.clock }).fetch)

  const standUp = service.owner.record({ title: 'Stand-up' }).end()
  const review = service.owner.record({ title: 'Review' }).end()
  await service.settled()
  expect(index.titles).toEqual(['Review', 'Stand-up'])

  standUp.edit({ title: 'Stand-up, Monday' })
  review.delete()
  await service.settled()
  expect(index.titles).toEqual(['Stand-up, Monday'])
})

test('the index equals a new one after a day of duplicates, disorder and failures', async () => {
  await using service = await createNotesService({ disorder: { duplicated: 0.3, reordered: 0.5, failing: 0.3 } })
  const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch })
  const index = new TitleIndex(client)
  await service.connect((secret) => index.receiver({ secret, clock: service.clock }).fetch)

  for (let hour = 0; hour < 24; hour += 1) {
    service.owner
      .record({ title: `Hour ${hour}` })
      .end()
      .edit({ title: `Hour ${hour}, corrected` })
    await service.clock.advance('1h')
  }
  await service.settled()

  const fresh = new TitleIndex(client)
  await fresh.build()
  expect(fresh.titles).toHaveLength(24)
  expect(index.titles).toEqual(fresh.titles)
})

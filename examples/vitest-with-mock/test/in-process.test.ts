import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { expect, it } from 'vitest'
import { TitleIndex } from '../src/title-index.ts'

it('is updated when notes end, change and are deleted', async () => {
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

it('equals a new index after a day of duplicates, disorder and failures', async () => {
  await using service = await createNotesService({
    seed: 7,
    disorder: { duplicated: 0.3, reordered: 0.5, failing: 0.3 },
  })
  const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch })
  const index = new TitleIndex(client)
  await service.connect((secret) => index.receiver({ secret, clock: service.clock }).fetch)

  for (let hour = 0; hour < 24; hour += 1) {
    const note = service.owner.record({ title: `Hour ${hour}` }).end()
    note.edit({ title: `Hour ${hour}, corrected` })
    if (hour % 4 === 0) note.delete()
    await service.clock.advance('1h')
  }
  await service.settled()

  const fresh = new TitleIndex(client)
  await fresh.build()
  expect(fresh.titles).toHaveLength(18)
  expect(index.titles).toEqual(fresh.titles)
})

it('recovers from a receiver that was down for two hours', async () => {
  await using service = await createNotesService()
  const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch })
  const index = new TitleIndex(client)
  let up = true
  await service.connect((secret) => {
    const receiver = index.receiver({ secret, clock: service.clock })
    return (request) => (up ? receiver.fetch(request) : Promise.resolve(new Response(null, { status: 502 })))
  })

  up = false
  service.owner.record({ title: 'Missed' }).end()
  await service.clock.advance('2h')
  expect(index.titles).toEqual([])

  up = true
  await service.clock.advance('2h')
  expect(index.titles).toEqual(['Missed'])
})

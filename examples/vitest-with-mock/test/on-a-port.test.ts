import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { expect, it } from 'vitest'
import { TitleIndex } from '../src/title-index.ts'

it('reads every note over a socket', async () => {
  await using service = await createNotesService({ notes: 120 })
  const { url } = await service.listen()
  const index = new TitleIndex(new NotesClient({ baseUrl: url, apiKey: service.apiKey }))
  await index.build()
  expect(index.titles).toHaveLength(120)
})

import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TitleIndex } from '../src/title-index.ts'

const service = await createNotesService({ notes: 120 })
const server = setupServer(...service.handlers(http))

beforeAll(() => server.listen())
afterAll(async () => {
  server.close()
  await service.close()
})

it('reads every note through code that calls the global fetch', async () => {
  const index = new TitleIndex(new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey }))
  await index.build()
  expect(index.titles).toHaveLength(120)
})

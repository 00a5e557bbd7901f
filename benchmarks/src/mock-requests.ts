import { createNotesService } from '@notewire/mock-server'
import { Hono } from 'hono'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { measureTurnByTurn } from './measure.ts'
import type { Table } from './report.ts'

const BY_HAND = 'https://by-hand.example'

/** What one request to the mock service costs, beside what its transports cost by themselves. */
export async function measureMockRequests(): Promise<readonly Table[]> {
  await using service = await createNotesService({ notes: 1_000 })
  const [aNote] = service.owner.notes()
  const path = `/v1/notes/${aNote?.note_id}`
  const headers = { authorization: `Bearer ${service.apiKey}` }
  const note = await (await service.fetch(new Request(`${service.baseUrl}${path}`, { headers }))).json()
  const app = new Hono().get('/v1/notes/:noteId', (context) => context.json(note))
  const server = setupServer(
    http.get(`${BY_HAND}/v1/notes/:noteId`, () => HttpResponse.json(note)),
    ...service.handlers(http),
  )
  server.listen()
  try {
    const readBy = (answer: (request: Request) => Response | Promise<Response>, baseUrl: string) => async () =>
      (await answer(new Request(`${baseUrl}${path}`, { headers }))).json()
    const nanoseconds = await measureTurnByTurn(
      {
        'Hono alone': readBy((request) => app.fetch(request), BY_HAND),
        'notewire: service.fetch': readBy((request) => service.fetch(request), service.baseUrl),
        'MSW alone': readBy(fetch, BY_HAND),
        'notewire: service.handlers under MSW': readBy(fetch, service.baseUrl),
      },
      { rounds: 9, operations: 1_000 },
    )
    return [tableOf(nanoseconds)]
  } finally {
    server.close()
  }
}

function tableOf(nanoseconds: Readonly<Record<string, number>>): Table {
  const floors = { 'Hono alone': 'Hono alone', 'notewire: service.fetch': 'Hono alone' }
  return {
    title: 'One note read from the mock service',
    unit: 'µs',
    note: 'The others answer one constant note, and know neither keys nor scopes. Ratios to what is below: Hono, or MSW.',
    rows: Object.entries(nanoseconds).map(([name, value]) => {
      const floor = Object.entries(floors).find(([contender]) => contender === name)?.[1] ?? 'MSW alone'
      return { name, value: value / 1_000, ratio: value / (nanoseconds[floor] ?? Number.NaN) }
    }),
  }
}

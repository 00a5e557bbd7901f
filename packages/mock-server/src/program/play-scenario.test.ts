import { describe, expect, it } from 'vitest'
import { call } from '../fixtures/call.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import { scheduleActs, setUpScenario } from './play-scenario.ts'
import { readScenario } from './scenario.ts'

async function play(service: NotesService, content: object) {
  const scenario = readScenario(JSON.stringify(content), 'a.json')
  const setup = await setUpScenario(service, scenario)
  const warnings: string[] = []
  scheduleActs(service, setup, scenario.acts, (problem) => warnings.push(problem))
  return { setup, warnings }
}

const notes = async (service: NotesService, key = service.apiKey) =>
  (await call<{ notes: unknown[] }>(service, 'GET /v1/notes?include_deleted=true', { key })).body.notes

it('performs each act at its time of the clock', async () => {
  await using service = await createNotesService()
  const { setup, warnings } = await play(service, {
    channels: ['Design'],
    integrations: [{ name: 'Sync', channels: ['Design'], scopes: ['notes:read'] }],
    acts: [
      { at: '1m', do: 'record', note: 'plan', title: 'Plan', content: 'Who does what', channel: 'Design' },
      { at: '2m', do: 'record-again', note: 'plan' },
      { at: '3m', do: 'end', note: 'plan', transcript: [{ speaker: 'Esi', text: 'Hello' }], summary: false },
      { at: '4m', do: 'end', note: 'plan', transcript: [{ text: 'Goodbye' }], summary: 'In short' },
      { at: '5m', do: 'edit', note: 'plan', title: 'Plan B' },
      { at: '6m', do: 'move', note: 'plan', to: 'personal' },
      { at: '7m', do: 'revoke', integration: 'Sync' },
      { at: '8m', do: 'delete', note: 'plan' },
    ],
  })
  const sync = setup.keys.get('Sync')?.key

  await service.clock.advance('59s')
  expect(await notes(service, sync)).toEqual([])
  await service.clock.advance('1s')
  expect(await notes(service, sync)).toMatchObject([{ title: 'Plan', content: 'Who does what', status: 'pending' }])
  await service.clock.advance('2m')
  expect(await notes(service, sync)).toMatchObject([{ status: 'ended', summary_status: 'missing' }])
  await service.clock.advance('90s')
  expect(await notes(service, sync)).toMatchObject([{ summary_status: 'ready' }])
  await service.clock.advance('90s')
  expect(await notes(service, sync)).toEqual([])
  const [note] = service.owner.notes()
  const { body } = await call(service, `GET /v1/notes/${note?.note_id}/transcript`)
  expect(body).toMatchObject({ text: 'Esi: Hello\nGoodbye' })
  expect(await notes(service)).toMatchObject([{ title: 'Plan B', owner: { type: 'personal' } }])
  await service.clock.advance('1m')
  expect((await call(service, 'GET /v1/notes', { key: sync ?? '' })).status).toBe(401)
  await service.clock.advance('1m')
  expect(await notes(service)).toMatchObject([{ status: 'deleted' }])
  expect(warnings).toEqual([])
})

it('warns about an act that fails, and performs the others', async () => {
  await using service = await createNotesService()
  const { warnings } = await play(service, {
    acts: [
      { at: 0, do: 'record', note: 'plan' },
      { at: '1s', do: 'delete', note: 'plan' },
      { at: '2s', do: 'edit', note: 'plan', title: 'Too late' },
      { at: '3s', do: 'record', note: 'another' },
    ],
  })
  await service.clock.advance('4s')
  expect(warnings).toEqual([expect.stringMatching(/^The act "edit" at 2s was not done: the note note_\w+ was deleted/)])
  expect(service.owner.notes()).toHaveLength(1)
})

it('registers each endpoint for the integration that it names, and returns its secret', async () => {
  await using service = await createNotesService()
  const { setup } = await play(service, {
    integrations: [{ name: 'Sync' }],
    endpoints: [{ url: 'https://receiver.example/a' }, { url: 'https://receiver.example/b', integration: 'Sync' }],
  })
  expect(setup.endpoints).toMatchObject([
    { url: 'https://receiver.example/a', signing_secret: expect.stringMatching(/^whsec_/) },
    { url: 'https://receiver.example/b', signing_secret: expect.stringMatching(/^whsec_/) },
  ])
  const { body } = await call(service, 'GET /v1/webhook-endpoints', { key: setup.keys.get('Sync')?.key ?? '' })
  expect(body).toMatchObject({ webhook_endpoints: [{ url: 'https://receiver.example/b' }] })
})

describe('the error about a refused endpoint', () => {
  const endpoints = [{ url: 'https://receiver.example/a' }]

  it.each([
    ['its URL', { endpoints: [{ url: 'elsewhere' }] }, {}, '"url" must be an absolute URL'],
    ['an HTML page', { endpoints: [{ url: 'elsewhere' }] }, { contract: { errorBody: 'html' } }, 'it answers 422'],
    [
      'a missing scope',
      { integrations: [{ name: 'a', scopes: ['notes:read'] }], endpoints: [{ ...endpoints[0], integration: 'a' }] },
      {},
      'lacks the scope',
    ],
    [
      'a fault rule',
      { endpoints },
      { faults: [{ request: 'POST /v1/**', fault: { kind: 'dropped' } }] },
      'a fault rule broke',
    ],
  ] as const)('names the reason: %s', async (_how, written, options, reason) => {
    await using service = await createNotesService(options)
    await expect(play(service, written)).rejects.toThrow(`the service refuses an endpoint of the scenario: `)
    await expect(play(service, written)).rejects.toThrow(reason)
  })
})

import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'

interface Asked {
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Asks the console over a socket, with whatever headers, which `fetch` would not send. */
function ask(
  { baseUrl }: NotesService,
  { path = '/console/deliveries', method = 'GET', headers = {}, body = '' }: Asked,
) {
  return new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
    request(baseUrl + path, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
      .on('error', reject)
      .end(body)
  })
}

describe('the console of a service that listens', () => {
  it.each([
    '/console',
    '/console/',
    '/console/deliveries',
    '/console/console.css',
    '/console/live?page=/console/notes',
  ])('answers %s under no name that is not of this machine', async (path) => {
    await using service = await createNotesService()
    await service.listen()
    const { status, text } = await ask(service, { path, headers: { host: 'rebound.test' } })
    expect(status).toBe(403)
    expect(text).toContain('--console-host')
  })

  it('answers under the names that it was told, and the API under all', async () => {
    await using service = await createNotesService()
    await service.listen({ consoleHosts: ['notes.internal'] })
    expect((await ask(service, { headers: { host: 'notes.internal:4010' } })).status).toBe(200)
    expect((await ask(service, { headers: { host: 'rebound.test' } })).status).toBe(403)
    expect((await ask(service, { path: '/v1/notes', headers: { host: 'rebound.test' } })).status).toBe(401)
  })

  it.each(['POST/control/notes', 'POST/control/channels', 'DELETE/control/faults', 'POST/control/clock/settle'])(
    'performs %s only for its own pages',
    async (operation) => {
      await using service = await createNotesService({ clock: 'virtual' })
      await service.listen()
      const body = `next=/console${operation.endsWith('notes') ? '&place=personal' : ''}${operation.endsWith('channels') ? '&name=Design' : ''}`
      const form = { path: '/console/act', method: 'POST', body: `operation=${operation.replace('/', ' /')}&${body}` }
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      for (const origin of [{}, { origin: 'null' }, { origin: 'http://evil.test' }, { origin: 'http://127.0.0.1:1' }]) {
        expect((await ask(service, { ...form, headers: { ...type, ...origin } })).status).toBe(403)
      }
      expect(service.owner.notes()).toEqual([])
      const own = { ...type, origin: service.baseUrl }
      expect((await ask(service, { ...form, headers: own })).status).toBe(303)
    },
  )

  it('creates an owner, and then something for the owner that is chosen', async () => {
    await using service = await createNotesService()
    await service.listen()
    const send = (operation: string, form: Record<string, string>) =>
      fetch(`${service.baseUrl}/console/act`, {
        method: 'POST',
        headers: { origin: service.baseUrl },
        body: new URLSearchParams({ ...form, operation, next: '/console' }),
      })
    expect((await ask(service, { path: '/console/notes' })).text).not.toContain('owner-1')
    const shown = await (await send('POST /control/owners', { name: 'acme' })).text()
    const [, acme] = service.owners
    expect(shown).toContain(acme?.apiKey)
    expect((await ask(service, { path: '/console/notes' })).text).toContain('owner-1')

    const owner_id = acme?.owner_id ?? ''
    const { text } = await ask(service, { path: `/console/notes?owner_id=${owner_id}` })
    expect(text).toContain(`<option value="${owner_id}" selected>`)
    await send('POST /control/notes', { title: 'Of Acme', place: 'personal', owner_id })
    expect([acme?.notes().length, service.owner.notes().length]).toEqual([1, 0])
  })

  it.each([
    ['no form at all', 'application/json', '{', 422],
    ['a form without its boundary', 'multipart/form-data', 'x', 422],
    [
      'a form that leads elsewhere',
      'application/x-www-form-urlencoded',
      'operation=POST /control/notes&next=https://evil.test',
      422,
    ],
    [
      'a form that leads to two lines',
      'application/x-www-form-urlencoded',
      'operation=POST /control/notes&next=/console%0Ax',
      422,
    ],
    [
      'an operation that does not exist',
      'application/x-www-form-urlencoded',
      'operation=POST /control/x&next=/console',
      422,
    ],
    [
      'a field that does not exist',
      'application/x-www-form-urlencoded',
      'operation=POST /control/channels&next=/console&nam=x',
      422,
    ],
    [
      'a channel that does not exist',
      'application/x-www-form-urlencoded',
      'operation=POST /control/notes&next=/console&place=chn_1',
      404,
    ],
  ])('says why it refuses %s', async (_what, type, body, expected) => {
    await using service = await createNotesService()
    await service.listen()
    const headers = { 'content-type': type, origin: service.baseUrl }
    const path = '/console/act'
    const { status, text } = await ask(service, { path, method: 'POST', headers, body })
    expect(status).toBe(expected)
    expect(text).toContain('Request refused')
    expect(text).not.toContain('    at ')
  })

  it.each([
    '/console/notes/note_1',
    '/console/deliveries/dlv_1',
    '/console/endpoints/whe_1',
    '/console/elsewhere',
    '/console/live',
    '/console/live?page=http://[',
  ])('has nothing at %s', async (path) => {
    await using service = await createNotesService()
    await service.listen()
    expect((await ask(service, { path })).status).toBe(404)
  })

  it.each(['GET', 'TRACE', 'X'])('has no operation with the method %s', async (operation) => {
    await using service = await createNotesService()
    await service.listen()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: service.baseUrl }
    const body = `operation=${operation} /control/notes&next=/console`
    expect((await ask(service, { path: '/console/act', method: 'POST', headers, body })).status).toBe(422)
  })

  it('pages through notes and deliveries', async () => {
    await using service = await createNotesService({ clock: 'virtual', notes: 120 })
    await service.listen()
    await service.connect(() => () => new Response(null, { status: 204 }))
    for (const note of service.owner.notes()) note.edit({ title: `${note.note_id}, edited` })
    await service.settled()
    const shown = new Set<string>()
    for (const path of ['/console/notes', '/console/deliveries']) {
      for (let next: string | undefined = path; next !== undefined; ) {
        const { text } = await ask(service, { path: next })
        for (const [, id = ''] of text.matchAll(/<a id="(\w+)"/g)) shown.add(id)
        next = /href="([^"]+)">Older/.exec(text)?.[1]?.replaceAll('&amp;', '&')
      }
    }
    const { deliveries, owner } = service
    expect(shown).toEqual(
      new Set([...deliveries.map(({ delivery_id }) => delivery_id), ...owner.notes().map(({ note_id }) => note_id)]),
    )
  })
})

it('a service that does not listen has no console', async () => {
  await using service = await createNotesService()
  expect((await call(service, 'GET /console')).status).toBe(404)
})

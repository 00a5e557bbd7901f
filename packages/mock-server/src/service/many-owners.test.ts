import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { contractDocuments } from '../../contract/documents.ts'
import { call } from '../../fixtures/call.ts'
import { anInbox } from '../../fixtures/inbox.ts'
import { createNotesService } from './create-notes-service.ts'
import type { NotesService } from './notes-service.ts'

interface Page {
  readonly notes: readonly { readonly note_id: string }[]
}

/** The operations of the REST API with an identifier in their path. */
const OPERATIONS = Object.entries<object>(JSON.parse(contractDocuments()['openapi.json'] ?? '').paths)
  .filter(([template]) => template.startsWith('/v1/') && template.includes('{'))
  .flatMap(([template, item]) => Object.keys(item).map((method) => [method.toUpperCase(), template] as const))
  .filter(([method]) => method !== 'PARAMETERS')

describe('two owners of one service', () => {
  it('share the base URL, and each key lists the notes of its owner only', async () => {
    await using service = await createNotesService({ owners: ['acme', 'globex'], notes: 3 })
    const [acme, globex] = service.owners
    expect(service.owners.map(({ name }) => name)).toEqual(['acme', 'globex'])
    expect(service.apiKey).toBe(acme?.apiKey)
    const seen = await Promise.all([notesOf(service, acme?.apiKey), notesOf(service, globex?.apiKey)])
    expect(seen).toEqual([acme, globex].map((owner) => owner?.notes().map(({ note_id }) => note_id)))
    expect(new Set(seen.flat()).size).toBe(6)
  })

  it('are independent: another owner changes no identifier or text of the first', async () => {
    const draw = async (others: number) => {
      await using service = await createNotesService({ notes: 3 })
      for (let count = 0; count < others; count++) service.createOwner().record().end()
      const { note } = service.owner.record()
      service.owner.createIntegration().issueKey()
      const { body } = await call(service, 'GET /v1/notes')
      return [note.note_id, body]
    }
    expect(await draw(3)).toEqual(await draw(0))
  })

  it('are independent: the traffic of another owner changes no fault or disorder of the first', async () => {
    const deliveredWith = async (others: number) => {
      const disorder = { duplicated: 0.3, reordered: 0.3, failing: 0.3 }
      const faults = [
        { delivery: '*', rate: 0.3, fault: { kind: 'corrupted' } },
        { request: 'GET /v1/notes', rate: 0.5, fault: { kind: 'status', status: 503 } },
        { request: 'GET /v1/notes', calls: [2, 5], fault: { kind: 'status', status: 418 } },
      ] as const
      await using service = await createNotesService({ owners: 1 + others, disorder, faults, seed: 3 })
      const inboxes = service.owners.map(() => anInbox())
      const answers: unknown[] = []
      for (const [index, { apiKey }] of service.owners.entries())
        await service.connect(inboxes[index]?.open ?? fail, { apiKey })
      for (let round = 0; round < 10; round++) {
        // The other owners come first: they would draw first if the streams were shared.
        for (const owner of service.owners.toReversed()) {
          owner.record().end()
          const { status, body } = await call(service, 'GET /v1/notes?limit=1', { key: owner.apiKey })
          if (owner.owner_id === service.owner.owner_id) answers.push([status, body])
        }
      }
      await service.settled()
      const { owner_id } = service.owner
      const own = service.deliveries.filter((delivery) => delivery.owner_id === owner_id)
      const attempts = own.map(({ delivery_id }) => service.attempts.filter((made) => made.delivery_id === delivery_id))
      return { answers, own, attempts }
    }
    const fail = () => expect.unreachable()
    const { attempts, ...alone } = await deliveredWith(0)
    const { attempts: amongOthers, ...others } = await deliveredWith(2)
    const seen = (all: typeof attempts) =>
      all.map((made) =>
        made.map(({ webhook_id, body, faults, outcome, duplicate }) => ({
          webhook_id,
          body,
          faults,
          outcome,
          duplicate,
        })),
      )
    expect(others).toEqual(alone)
    expect(seen(amongOthers)).toEqual(seen(attempts))
    expect(alone.answers).toContainEqual([503, expect.anything()])
  })

  it('have different random choices', async () => {
    const faults = [{ request: 'GET /v1/notes', rate: 0.5, fault: { kind: 'status', status: 503 } }] as const
    await using service = await createNotesService({ owners: 2, faults })
    const draw = async (key: string) => {
      const statuses: number[] = []
      for (let count = 0; count < 40; count++) statuses.push((await call(service, 'GET /v1/notes', { key })).status)
      return statuses
    }
    const [one, other] = service.owners
    expect(await draw(one?.apiKey ?? '')).not.toEqual(await draw(other?.apiKey ?? ''))
  })

  it.each(OPERATIONS)('cannot use %s %s on data of the other', async (method, template) => {
    await using service = await createNotesService()
    const { endpoint_id } = await service.connect(anInbox().open)
    const { note_id } = service.owner.record().end()
    await service.settled()
    const ids = { note_id, endpoint_id, delivery_id: service.deliveries.at(-1)?.delivery_id ?? '' }
    const path = template.replaceAll(/\{(\w+)\}/g, (_match, name: keyof typeof ids) => ids[name])
    const body = method === 'PATCH' ? { events: ['note.ended'] } : undefined
    const request = (key: string) => call(service, `${method} ${path}`, { key, body })
    expect((await request(service.createOwner().apiKey)).status).toBe(404)
    expect((await request(service.apiKey)).status).toBeLessThan(300)
  })

  it('are tested with all 9 operations', () => expect(OPERATIONS).toHaveLength(9))

  it('list only their own endpoints', async () => {
    await using service = await createNotesService({ owners: 2 })
    await service.connect(anInbox().open)
    const { body } = await call(service, 'GET /v1/webhook-endpoints', { key: service.owners[1]?.apiKey ?? '' })
    expect(body).toEqual({ webhook_endpoints: [] })
  })

  it('are sent the events of their own notes only, signed with their own secret', async () => {
    await using service = await createNotesService()
    const owners = [service.owner, service.createOwner(), service.createOwner()]
    const inboxes = owners.map(() => anInbox())
    for (const [index, inbox] of inboxes.entries()) await service.connect(inbox.open, { apiKey: owners[index]?.apiKey })
    const notes = owners.map((owner) => owner.record().end())
    await service.settled()
    for (const note of notes) note.edit({ title: 'Stand-up' })
    await service.settled()
    for (const note of notes) note.delete()
    await service.settled()
    for (const [index, inbox] of inboxes.entries()) {
      expect([...inbox.kinds].sort()).toEqual([...NOTE_EVENT_KINDS].sort())
      const about = inbox.received.flatMap(({ event }) => ('note_id' in event.data ? [event.data.note_id] : []))
      expect(new Set(about)).toEqual(new Set([notes[index]?.note_id]))
    }
    expect(new Set(inboxes.map(({ secret }) => secret)).size).toBe(3)
    expect(new Set(service.deliveries.map(({ owner_id }) => owner_id))).toEqual(
      new Set(owners.map(({ owner_id }) => owner_id)),
    )
  })
})

describe('the options', () => {
  it.each([{ owners: 0 }, { owners: [] }, { owners: [''] }, { owners: 1.5 }])('reject %j', async (options) => {
    await expect(createNotesService(options)).rejects.toMatchObject({ code: 'option_invalid' })
  })

  it('name the owners without a name', async () => {
    await using service = await createNotesService({ owners: 2 })
    service.createOwner({ name: 'acme' })
    expect(service.owners.map(({ name }) => name)).toEqual(['owner-1', 'owner-2', 'acme'])
  })
})

describe('the control API and the console', () => {
  it('show one owner, or all', async () => {
    await using service = await createNotesService({ owners: ['acme'] })
    await service.listen()
    const globex = await control(service, 'POST /control/owners', { name: 'globex' })
    const { owner_id } = globex
    await control(service, 'POST /control/notes', { owner_id, title: 'Of Globex' })
    await control(service, 'POST /control/notes', { title: 'Of Acme' })
    await control(service, 'POST /control/trigger', { event_type: 'note.ended', title: 'Of Globex', owner_id })

    expect((await control(service, `GET /control/notes?owner_id=${owner_id}`))['notes']).toHaveLength(2)
    expect((await control(service, 'GET /control/notes'))['notes']).toHaveLength(3)
    const page = await (await fetch(`${service.baseUrl}/console/notes?owner_id=${owner_id}`)).text()
    expect(page).toContain('Of Globex')
    expect(page).not.toContain('Of Acme')
    expect(page).toContain('<th>Owner</th>')
    expect(await (await fetch(`${service.baseUrl}/console/notes`)).text()).toMatch(/acme<\/td>/)
    expect(await notesOf(service, String(globex['api_key']))).toHaveLength(2)
    expect(service.owners.map(({ name }) => name)).toEqual(['acme', 'globex'])
  })

  it('name the owner of each note, endpoint and delivery', async () => {
    await using service = await createNotesService({ owners: ['acme', 'globex'] })
    await service.listen()
    const [, globex] = service.owners
    const { endpoint_id } = await service.connect(anInbox().open, { apiKey: globex?.apiKey })
    const { note_id } = globex?.record({ title: 'Of Globex' }).end({ summary: false }) ?? { note_id: '' }
    await service.settled()
    const delivery_id = service.deliveries.at(-1)?.delivery_id
    const show = async (path: string) => (await fetch(`${service.baseUrl}/console/${path}`)).text()
    for (const list of ['notes', 'endpoints', 'deliveries']) {
      expect(await show(list)).toMatch(/Owner<\/span> globex<\/td>/)
      expect(await show(`${list}?owner_id=${globex?.owner_id}`)).toMatch(/Owner<\/span> globex<\/td>/)
      expect(await show(`${list}?owner_id=${service.owner.owner_id}`)).not.toMatch(/globex<\/td>/)
    }
    const delivered = await show(`deliveries?status=delivered&owner_id=${globex?.owner_id}`)
    expect(delivered).toContain('<option value="delivered" selected>')
    for (const thing of [`notes/${note_id}`, `endpoints/${endpoint_id}`, `deliveries/${delivery_id}`]) {
      expect(await show(thing)).toMatch(/<dt>Owner<\/dt><dd>globex<\/dd>/)
    }
  })

  it('answer 404 for an unknown owner', async () => {
    await using service = await createNotesService({ owners: 2 })
    await service.listen()
    const refused = { error: { code: 'owner_unknown' } }
    expect(await control(service, 'GET /control/endpoints?owner_id=own_1')).toMatchObject(refused)
    expect(await control(service, 'POST /control/channels', { name: 'Design', owner_id: 'own_1' })).toMatchObject(
      refused,
    )
    expect((await fetch(`${service.baseUrl}/console/notes?owner_id=own_1`)).status).toBe(404)
  })
})

async function notesOf(service: NotesService, key = ''): Promise<readonly string[]> {
  const { body } = await call<Page>(service, 'GET /v1/notes', { key })
  return body.notes.map(({ note_id }) => note_id)
}

async function control(
  { baseUrl }: NotesService,
  operation: string,
  body?: object,
): Promise<Readonly<Record<string, unknown>>> {
  const [method = '', path = ''] = operation.split(' ')
  const answer = await fetch(baseUrl + path, {
    method,
    headers: { origin: baseUrl },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as Readonly<Record<string, unknown>>
}

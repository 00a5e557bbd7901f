import { keyIdOf, type NotePage } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { call, pagesOf, refusal } from '../../fixtures/call.ts'
import { anInbox, toNotes } from '../../fixtures/inbox.ts'
import { checked } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import { type ContractVariants, contractSchema } from './contract-variants.ts'

const withContract = (contract: ContractVariants, notes = 0) => createNotesService({ contract, notes })

const list = async (service: NotesService, query = '') => (await call<NotePage>(service, `GET /v1/notes${query}`)).body

const resolveContract = (variants: object) => checked('contract', contractSchema, variants)
const CONTRACT_DEFAULTS = resolveContract({})

describe('the variants of the contract', () => {
  it('have the default of every row', () => {
    expect(resolveContract({ notesField: undefined })).toEqual(CONTRACT_DEFAULTS)
    expect(resolveContract(CONTRACT_DEFAULTS)).toEqual(CONTRACT_DEFAULTS)
  })

  it('can be set one by one', () => {
    expect(resolveContract({ disableAfter: 3 })).toEqual({ ...CONTRACT_DEFAULTS, disableAfter: 3 })
  })

  it.each([
    ...Object.keys(CONTRACT_DEFAULTS).map((name) => [name, {}]),
    ['disableAfter', 0],
    ['debounceQuiet', 'soon'],
    ['cursorLifetime', -1],
    ['keyPrefix', 'a b'],
    ['keyForm', 'jwt'],
    ['notesField', ''],
    ['transcriptNotReady', 500],
    ['revision', 1],
  ])('are rejected by name: %s', (name, value) => {
    const resolve = () => resolveContract({ [String(name)]: value })
    expect(resolve).toThrow(MockServerError)
    expect(resolve).toThrow(String(name))
  })
})

describe('the list of notes', () => {
  it('row 1: contains the notes in a field of another name', async () => {
    await using service = await withContract({ notesField: 'items' }, 2)
    expect(await list(service)).toMatchObject({ items: { length: 2 }, has_more: false })
    expect(await list(service)).not.toHaveProperty('notes')
  })

  it.each([
    ['both', true, true],
    ['note_id', true, false],
    ['id', false, true],
  ] as const)('row 2: contains the identifier of a note as %s', async (noteIdentifier, asNoteId, asId) => {
    await using service = await withContract({ noteIdentifier }, 1)
    const [note] = (await list(service)).notes
    expect([note && 'note_id' in note, note && 'id' in note]).toEqual([asNoteId, asId])
  })

  it('row 3: contains only the identifier and the revision of a note', async () => {
    await using service = await withContract({ noteFields: 'required', noteIdentifier: 'note_id' }, 1)
    expect((await list(service)).notes).toEqual([{ note_id: expect.any(String), revision: 3 }])
  })

  it('row 3: contains unknown values and fields', async () => {
    await using service = await withContract({ noteFields: 'unfamiliar' }, 1)
    const [note] = (await list(service)).notes
    expect(note).toMatchObject({ status: 'archived', language: 'cy', owner: { type: 'workspace' } })
  })

  it('row 4: contains only identifier, revision and status of a tombstone', async () => {
    await using service = await withContract({ tombstone: 'marker', noteIdentifier: 'note_id' }, 1)
    const [note] = service.owner.notes()
    note?.delete()
    const { notes } = await list(service, '?include_deleted=true')
    expect(notes).toEqual([{ note_id: note?.note_id, revision: 4, status: 'deleted' }])
  })

  it.each([
    ['1000', 100],
    ['0', 1],
    ['-3', 1],
  ])('row 5: reduces limit=%s to %i', async (limit, length) => {
    await using service = await withContract({ limitOutOfRange: 'capped' }, 101)
    expect((await list(service, `?limit=${limit}`)).notes).toHaveLength(length)
  })

  it('row 6: answers an empty page with has_more before every page but the first', async () => {
    await using service = await withContract({ emptyPages: true }, 5)
    const pages = await pagesOf(service, 2)
    expect(pages.map(({ notes }) => notes.length)).toEqual([2, 0, 2, 0, 1])
    expect(new Set(pages.map(({ next_cursor }) => next_cursor)).size).toBe(5)
  })

  it.each([
    ['null', null],
    ['empty', ''],
    ['absent', undefined],
  ] as const)('row 6: ends with a next_cursor that is %s', async (lastCursor, next_cursor) => {
    await using service = await withContract({ lastCursor }, 1)
    expect((await list(service)).next_cursor).toBe(next_cursor)
  })

  it('row 6: returns the same cursor again', async () => {
    await using service = await withContract({ repeatingCursor: true }, 2)
    const { next_cursor } = await list(service, '?limit=1')
    expect(await list(service, `?limit=1&cursor=${next_cursor}`)).toMatchObject({ next_cursor, has_more: true })
  })

  it('row 6: answers 400 invalid_cursor to an expired cursor', async () => {
    await using service = await withContract({ cursorLifetime: '1h' }, 3)
    const { next_cursor } = await list(service, '?limit=1')
    await service.clock.advance('1h')
    expect((await list(service, `?cursor=${next_cursor}`)).notes).toHaveLength(2)
    await service.clock.advance(1)
    expect(await refusal(call(service, `GET /v1/notes?cursor=${next_cursor}`))).toEqual([400, 'invalid_cursor'])
  })

  it('row 7: includes notes that were updated at updated_after', async () => {
    await using service = await withContract({ updatedAfter: 'inclusive' })
    const { note_id } = service.owner.record().note
    expect((await list(service, '?updated_after=2026-01-01T00:00:00.000Z')).notes).toMatchObject([{ note_id }])
    expect((await list(service, '?updated_after=2026-01-01T00:00:00.001Z')).notes).toEqual([])
  })

  it.each([
    ['seconds', 'exclusive', '2026-01-01T00:01:30.000Z', { '00:01:29.999': 1, '00:01:30.000': 0, '00:01:30.500': 0 }],
    ['seconds', 'inclusive', '2026-01-01T00:01:30.000Z', { '00:01:30.000': 1, '00:01:30.001': 0 }],
    ['minutes', 'exclusive', '2026-01-01T00:01:00.000Z', { '00:00:59.000': 1, '00:01:00.000': 0 }],
    ['minutes', 'inclusive', '2026-01-01T00:01:00.000Z', { '00:01:00.000': 1, '00:01:00.001': 0 }],
  ] as const)(
    'row 7: compares updated_at at the precision that it shows: %s, %s',
    async (timestamps, updatedAfter, shown, counts) => {
      await using service = await withContract({ timestamps, updatedAfter })
      await service.clock.advance(90_500)
      service.owner.record()
      expect((await list(service)).notes).toMatchObject([{ updated_at: shown, created_at: shown }])
      for (const [time, count] of Object.entries(counts)) {
        expect((await list(service, `?updated_after=2026-01-01T${time}Z`)).notes).toHaveLength(count)
      }
    },
  )
})

describe('one note', () => {
  it('row 8: is not found after its deletion', async () => {
    await using service = await withContract({ noteOperation: 'live_notes' }, 2)
    const [gone, kept] = service.owner.notes()
    gone?.delete()
    expect(await refusal(call(service, `GET /v1/notes/${gone?.note_id}`))).toEqual([404, 'not_found'])
    expect((await call(service, `GET /v1/notes/${kept?.note_id}`)).status).toBe(200)
  })

  it('row 8: cannot be read without the operation, but its content can', async () => {
    await using service = await withContract({ noteOperation: 'absent' }, 1)
    const [note] = service.owner.notes()
    expect(await refusal(call(service, `GET /v1/notes/${note?.note_id}`))).toEqual([404, 'unknown_operation'])
    expect((await call(service, `GET /v1/notes/${note?.note_id}/transcript`)).status).toBe(200)
  })

  it.each([404, 409, 202] as const)(
    'row 9: answers %i for a transcript that is not ready',
    async (transcriptNotReady) => {
      await using service = await withContract({ transcriptNotReady })
      const { note } = service.owner.record()
      expect(await refusal(call(service, `GET /v1/notes/${note.note_id}/transcript`))).toEqual([
        transcriptNotReady,
        'not_ready',
      ])
    },
  )

  it.each([
    ['transcript', 'json'],
    ['transcript', 'empty'],
    ['summary', 'json'],
    ['summary', 'empty'],
  ] as const)(
    'rows 9 and 10: a %s that is not ready is answered like a missing note, with the error body %s',
    async (part, errorBody) => {
      await using service = await withContract({
        transcriptNotReady: 'not_found',
        summaryNotReady: 'not_found',
        errorBody,
      })
      const note = service.owner.record()
      const answer = await call(service, `GET /v1/notes/${note.note.note_id}/${part}`)
      expect(answer).toMatchObject({
        status: 404,
        body: errorBody === 'json' ? { error: { code: 'not_found' } } : undefined,
      })
      note.end()
      await service.settled()
      expect((await call(service, `GET /v1/notes/${note.note.note_id}/${part}`)).status).toBe(200)
    },
  )

  it.each([
    ['current', 4, 4],
    ['written', 2, 3],
    ['absent', undefined, undefined],
  ] as const)('rows 9 and 10: returns the revision %s with its content', async (contentRevision, ...expected) => {
    await using service = await withContract({ contentRevision })
    const note = service.owner.record().end()
    await service.settled()
    note.edit({ title: 'Edited' })
    const revisionOf = async (part: string) =>
      (await call<{ revision?: number }>(service, `GET /v1/notes/${note.note_id}/${part}`)).body.revision
    expect([await revisionOf('transcript'), await revisionOf('summary')]).toEqual(expected)
  })

  it('row 10: answers 404 for a summary that is not ready', async () => {
    await using service = await withContract({ summaryNotReady: 404 })
    const { note_id } = service.owner.record().end()
    expect(await refusal(call(service, `GET /v1/notes/${note_id}/summary`))).toEqual([404, 'not_ready'])
    await service.settled()
    expect((await call(service, `GET /v1/notes/${note_id}/summary`)).status).toBe(200)
  })
})

describe('events', () => {
  it('row 11: about endpoints have empty data', async () => {
    await using service = await withContract({ endpointEventData: 'empty' })
    const inbox = anInbox()
    await service.connect(inbox.open)
    expect(inbox.received[0]?.event.data).toEqual({})
  })

  it('row 11: about endpoints can be subscribed to', async () => {
    const body = { url: 'https://receiver.test/', events: ['endpoint.test', 'note.ended'] }
    await using accepting = await withContract({ endpointKinds: 'accepted' })
    expect((await call(accepting, 'POST /v1/webhook-endpoints', { body })).status).toBe(201)
    await using refusing = await withContract({})
    expect((await call(refusing, 'POST /v1/webhook-endpoints', { body })).status).toBe(422)
  })

  it.each([
    ['absent', undefined],
    ['null', null],
  ] as const)('row 12: other than note.deleted have a reason that is %s', async (otherReasons, reason) => {
    await using service = await withContract({ otherReasons })
    const inbox = anInbox()
    await service.connect(inbox.open)
    service.owner.record().end({ summary: false }).delete()
    await service.settled()
    const reasons = inbox.received.slice(1).map(({ event }) => (event.data as { reason?: unknown }).reason)
    expect(reasons).toEqual([reason, 'deleted'])
  })

  it.each([
    ['required', undefined],
    ['null', null],
    ['mistyped', { value: 7 }],
  ] as const)('row 31: have other fields that are %s', async (eventFields, other) => {
    await using service = await withContract({ eventFields })
    const inbox = anInbox()
    await service.connect(inbox.open)
    const note = service.owner.record().end({ summary: false })
    await service.settled()
    const event = inbox.received.map((each) => each.event).find(({ event_type }) => event_type === 'note.ended')
    const required = { event_id: expect.any(String), event_type: 'note.ended' }
    const data = { note_id: note.note_id, revision: 2 }
    const others = { recording_session_id: other, transcript_status: other, summary_status: other }
    expect(event).toEqual({ ...required, occurred_at: other, data: { ...data, ...others } })
    expect(Object.keys(event ?? {}).length).toBe(eventFields === 'required' ? 3 : 4)
  })

  it('row 39: describe notes and endpoints with optional fields of another type, but tombstones can be recognised', async () => {
    await using service = await withContract({ optionalFields: 'mistyped' })
    const note = service.owner.record({ title: 'Stand-up' }).end()
    const { body } = await call<Record<string, unknown>>(service, `GET /v1/notes/${note.note_id}`)
    expect(body).toMatchObject({
      note_id: note.note_id,
      revision: expect.any(Number),
      title: { value: 7 },
      owner: { value: 7 },
    })
    note.delete()
    const tombstone = await call<Record<string, unknown>>(service, `GET /v1/notes/${note.note_id}`)
    expect(tombstone.body).toMatchObject({ status: 'deleted', deleted_at: { value: 7 } })
    expect(JSON.stringify(body)).not.toContain('Stand-up')
  })

  it.each([
    ['number', 3],
    ['absent', undefined],
    ['string', '3'],
  ] as const)('row 38: have a revision that is %s if they are about a deletion', async (deletionRevision, revision) => {
    await using service = await withContract({ deletionRevision })
    const inbox = anInbox()
    await service.connect(inbox.open)
    service.owner.record().end({ summary: false }).delete()
    await service.settled()
    const revisions = inbox.received.slice(1).map(({ event }) => (event.data as { revision?: unknown }).revision)
    expect(revisions).toEqual([2, revision])
    expect('revision' in (inbox.received.at(-1)?.event.data ?? {})).toBe(deletionRevision !== 'absent')
  })

  it('row 19: have another webhook-id in every attempt', async () => {
    await using service = await withContract({ webhookId: 'per_attempt' })
    await service.connect(anInbox(toNotes(() => 500)).open)
    service.owner.record().end({ summary: false })
    await service.settled()
    const attempts = service.attempts.slice(1)
    expect(new Set(attempts.map(({ webhook_id }) => webhook_id)).size).toBe(7)
    expect(attempts.map(({ headers }) => headers['webhook-id'])).toEqual(attempts.map(({ webhook_id }) => webhook_id))
  })

  it('row 20: about a summary and a deletion have an unchanged revision', async () => {
    await using service = await withContract({ summaryRaisesRevision: false, deletionRaisesRevision: false })
    const inbox = anInbox()
    await service.connect(inbox.open)
    const note = service.owner.record().end()
    await service.settled()
    note.delete()
    await service.settled()
    const revisions = inbox.received.slice(1).map(({ event }) => (event.data as { revision: number }).revision)
    expect(revisions).toEqual([2, 2, 2])
  })

  it('row 29: are sent in any order: an update before the end, and after the deletion', async () => {
    await using service = await withContract({ eventOrder: 'any' })
    const inbox = anInbox()
    await service.connect(inbox.open)
    const recording = service.owner.record()
    recording.note.edit({ title: 'Early' })
    await service.clock.advance('5s')
    recording.end({ summary: false }).edit({ title: 'Late' })
    recording.note.delete()
    await service.settled()
    expect(inbox.kinds).toEqual(['note.updated', 'note.ended', 'note.deleted', 'note.updated'])
  })

  it('row 29: are sent before the content is readable', async () => {
    await using service = await withContract({ eventOrder: 'any' })
    const { note_id } = service.owner.record().end({ summary: false })
    const operation = `GET /v1/notes/${note_id}/transcript`
    expect(await refusal(call(service, operation))).toEqual([404, 'not_ready'])
    await service.clock.advance('1s')
    expect((await call(service, operation)).status).toBe(200)
  })
})

describe('webhook endpoints', () => {
  it('row 13: contain only their identifier, as id', async () => {
    await using service = await withContract({ endpointIdentifier: 'id', endpointFields: 'required' })
    const body = { url: 'https://receiver.test/', events: ['note.ended'] }
    const created = await call<{ id: string }>(service, 'POST /v1/webhook-endpoints', { body })
    expect(created.body).toEqual({ id: expect.any(String), signing_secret: expect.any(String) })
    const read = await call(service, `GET /v1/webhook-endpoints/${created.body.id}`)
    expect(read.body).toEqual({ id: created.body.id })
  })

  it('row 14: can only be created', async () => {
    await using service = await withContract({ endpointOperations: 'creation' })
    const { endpoint_id } = await service.connect(anInbox().open)
    const path = `/v1/webhook-endpoints/${endpoint_id}`
    for (const operation of [
      'GET /v1/webhook-endpoints',
      `GET ${path}`,
      `PATCH ${path}`,
      `DELETE ${path}`,
      `POST ${path}/test`,
      `POST ${path}/rotate-secret`,
      `POST ${path}/deliveries/dlv_1/replay`,
    ]) {
      expect(await refusal(call(service, operation))).toEqual([404, 'unknown_operation'])
    }
  })

  it('row 18: are pending_verification after their creation', async () => {
    await using service = await withContract({ afterUrlChange: 'active' })
    expect((await service.connect(anInbox(() => 500).open)).status).toBe('pending_verification')
  })

  it('row 18: stay active after a change of their URL, which is also verified', async () => {
    await using service = await withContract({ afterUrlChange: 'active' })
    const [old, next] = [anInbox(), anInbox()]
    const { endpoint_id } = await service.connect(old.open)
    const { url } = await service.connect(next.open)
    const changed = await call(service, `PATCH /v1/webhook-endpoints/${endpoint_id}`, { body: { url } })
    expect(changed.body).toMatchObject({ url, status: 'active' })
    service.owner.record().end({ summary: false })
    await service.settled()
    expect(old.kinds).toEqual([])
    expect(next.received.map(({ event }) => event.event_type).sort()).toEqual([
      'endpoint.verification',
      'endpoint.verification',
      'note.ended',
      'note.ended',
    ])
  })
})

describe('requests', () => {
  it.each([
    ['html', 'text/html; charset=UTF-8', /^<!doctype html>/],
    ['empty', null, /^$/],
  ] as const)('row 22: are rejected with the error body %s and without a request id', async (errorBody, type, body) => {
    await using service = await withContract({ errorBody, requestId: false })
    for (const path of ['/v1/notes', '/v1/nothing']) {
      const answer = await service.fetch(new Request(service.baseUrl + path))
      expect(answer.status).toBe(path === '/v1/notes' ? 401 : 404)
      expect(answer.headers.get('content-type')).toBe(type)
      expect(answer.headers.has('x-request-id')).toBe(false)
      expect(await answer.text()).toMatch(body)
    }
  })

  it('row 23: need other scopes, which the key of the service has', async () => {
    await using service = await withContract({ noteScope: 'notes:list', endpointScope: 'endpoints:write' })
    const { key } = service.owner.createIntegration().issueKey({ scopes: ['notes:read', 'webhooks:manage'] })
    for (const operation of ['GET /v1/notes', 'GET /v1/webhook-endpoints']) {
      expect((await call(service, operation)).status).toBe(200)
      expect(await refusal(call(service, operation, { key }))).toEqual([403, 'insufficient_scope'])
    }
  })

  it('row 24: accept keys with another prefix', async () => {
    await using service = await withContract({ keyPrefix: 'acme-notes_eu' })
    expect(service.apiKey).toMatch(/^acme-notes_eu_live_\w+\.\w+$/)
    expect((await call(service, 'GET /v1/notes')).status).toBe(200)
  })

  it.each([
    ['symbols', /^ntw_live_\w+\.\w+\+\/\.\w+==$/, true],
    ['without_key_id', /^ntw-\w{32}$/, false],
  ] as const)('row 24: accept keys of the form %s', async (keyForm, form, hasKeyId) => {
    await using service = await withContract({ keyForm })
    const issued = service.owner.createIntegration().issueKey()
    for (const key of [service.apiKey, issued.key]) {
      expect(key).toMatch(form)
      expect((await call(service, 'GET /v1/notes', { key })).status).toBe(200)
    }
    expect(issued.key).not.toBe(service.apiKey)
    expect(keyIdOf(issued.key)).toBe(hasKeyId ? issued.key_id : undefined)
    expect(service.requests.at(-1)?.key_id).toBe(issued.key_id)
    issued.revoke()
    expect(await refusal(call(service, 'GET /v1/notes', { key: issued.key }))).toEqual([401, 'unauthorized'])
  })
})

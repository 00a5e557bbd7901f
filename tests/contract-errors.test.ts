import { type ContractVariants, createNotesService } from '@notewire/mock-server'
import { describe, expect, it } from 'vitest'
import { clientOf } from './contract-variants/service.ts'

describe('a typed error reports', () => {
  it('row 6: a repeated cursor, which would cause an endless loop', async () => {
    await using service = await createNotesService({ notes: 9, contract: { repeatingCursor: true } })
    const read = async () => {
      for await (const _ of clientOf(service).notes.list({ limit: 2 }));
    }
    await expect(read()).rejects.toMatchObject({ code: 'cursor_repeated' })
  })

  it('row 6: an expired cursor', async () => {
    await using service = await createNotesService({ notes: 9, contract: { cursorLifetime: '1m' } })
    const read = async () => {
      for await (const _ of clientOf(service).notes.list({ limit: 2 })) await service.clock.advance('2m')
    }
    await expect(read()).rejects.toMatchObject({ code: 'cursor_expired' })
  })

  it('row 14: an operation that the service does not offer', async () => {
    await using service = await createNotesService({ contract: { endpointOperations: 'creation' } })
    const { webhookEndpoints } = clientOf(service)
    const { endpoint_id } = await webhookEndpoints.create({ url: 'https://receiver.test/', events: ['note.ended'] })
    await expect(webhookEndpoints.list()).rejects.toMatchObject({ code: 'not_supported' })
    await expect(webhookEndpoints.get(endpoint_id)).rejects.toMatchObject({ code: 'not_supported' })
    await expect(webhookEndpoints.rotateSecret(endpoint_id)).rejects.toMatchObject({ code: 'not_supported' })
  })

  it.each([404, 409, 202] as const)(
    'row 9: a transcript that is not ready, with status %i',
    async (transcriptNotReady) => {
      await using service = await createNotesService({ contract: { transcriptNotReady } })
      const { note } = service.owner.record()
      await expect(clientOf(service).notes.transcript(note.note_id)).rejects.toMatchObject({ code: 'not_ready' })
    },
  )

  it.each(['json', 'html', 'empty'] as const)(
    'rows 9 and 10: content that is not ready, with a 404 and a body of %s, not a missing note',
    async (errorBody) => {
      await using service = await createNotesService({
        contract: { transcriptNotReady: 'not_found', summaryNotReady: 'not_found', errorBody },
      })
      const { notes } = clientOf(service)
      const { note_id } = service.owner.record().note
      await expect(notes.transcript(note_id)).rejects.toMatchObject({ code: 'content_not_found' })
      await expect(notes.summary(note_id)).rejects.toMatchObject({ code: 'content_not_found' })
      await expect(notes.get(note_id)).resolves.toMatchObject({ note_id })
      await expect(notes.get('note_unknown')).rejects.toMatchObject({ code: 'not_found' })
    },
  )

  it.each(['json', 'html', 'empty'] as const)('row 22: an unknown key, with a body of %s', async (errorBody) => {
    await using service = await createNotesService({ contract: { errorBody } })
    const client = clientOf(service, { apiKey: 'ntw_live_k.s' })
    await expect(client.notes.get('note_1')).rejects.toMatchObject({ code: 'unauthorized' })
  })
})

describe('row 37: 529', () => {
  it.each([503, 529])('the client retries a request after %i', async (status) => {
    await using service = await createNotesService({
      notes: 1,
      faults: [{ request: 'GET /v1/notes', calls: [1, 2], fault: { kind: 'status', status, retryAfter: 0 } }],
    })
    const listed: string[] = []
    for await (const { note_id } of clientOf(service).notes.list()) listed.push(note_id)
    expect(listed).toHaveLength(1)
    expect(service.requests.map((request) => request.status)).toEqual([status, status, 200])
  })

  it.each([503, 529])('the client does not create an endpoint twice after %i', async (status) => {
    await using service = await createNotesService({
      faults: [{ request: 'POST /v1/webhook-endpoints', fault: { kind: 'status', status, retryAfter: 0 } }],
    })
    const created = clientOf(service).webhookEndpoints.create({ url: 'https://receiver.test/', events: ['note.ended'] })
    await expect(created).rejects.toMatchObject({ code: 'server_error', status })
    expect(service.requests).toHaveLength(1)
  })
})

describe('row 24: the form of the key', () => {
  it.each<[ContractVariants, RegExp]>([
    [{}, /^ntw_live_\w+\.\w+$/],
    [{ keyPrefix: 'acme-notes_eu' }, /^acme-notes_eu_live_\w+\.\w+$/],
    [{ keyForm: 'symbols' }, /^ntw_live_\w+\..*[+/=.]/],
    [{ keyForm: 'without_key_id' }, /^[^.]+$/],
  ])('the client sends a key of %j unchanged, and no error contains it', async (contract, form) => {
    await using service = await createNotesService({ contract })
    expect(service.apiKey).toMatch(form)
    const sent: (string | null)[] = []
    const fetch = (request: Request) => {
      sent.push(request.headers.get('authorization'))
      return service.fetch(request)
    }
    const error = await clientOf(service, { fetch })
      .notes.get('note_unknown')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'not_found' })
    expect(`${error}${JSON.stringify(error)}`).not.toContain(service.apiKey)
    expect(new Set(sent)).toEqual(new Set([`Bearer ${service.apiKey}`]))
  })
})

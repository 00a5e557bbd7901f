import { createNotesService, type NotesServiceOptions } from '@notewire/mock-server'
import { type NoteEvent, OptionError } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { NotesClient } from '../notes-client.ts'
import type { CurrentNote, NotePart } from './current-note.ts'
import { noteHandlers } from './note-handlers.ts'
import type { NoteHandlerContext, NoteRemoval } from './note-handlers-options.ts'

/** A service with one note that has ended, and the handlers of a copy of it. */
async function aCopy(options: NotesServiceOptions = {}, parts?: readonly NotePart[], date?: string) {
  const service = await createNotesService({ notes: 1, ...options })
  const changed: CurrentNote[] = []
  const removed: NoteRemoval[] = []
  const revisions: number[] = []
  const warnings: unknown[] = []
  const { baseUrl, apiKey } = service
  const fetch = async (request: Request) => {
    const { body, status, headers } = await service.fetch(request)
    return new Response(body, { status, headers: { ...Object.fromEntries(headers), ...(date && { date }) } })
  }
  const client = new NotesClient({ baseUrl, apiKey, fetch, maxRetries: 0 })
  const { on, prepare } = noteHandlers(client, {
    changed: (current) => changed.push(current),
    removed: (removal) => removed.push(removal),
    parts,
  })
  const note = service.owner.notes()[0] ?? service.owner.record().note
  const context: NoteHandlerContext = {
    integration: 'default',
    signal: new AbortController().signal,
    logger: { warn: (_, fields) => warnings.push(fields) },
    applied: undefined,
    setAppliedRevision: (revision) => revisions.push(revision),
  }
  const handle = async (kind: NoteEvent['event_type'], data: object = {}, ageMs = 0) => {
    const occurred_at = new Date(service.clock.now() - ageMs).toISOString()
    const event = { event_id: 'e1', occurred_at, data: { note_id: note.note_id, revision: note.revision, ...data } }
    const typed = { ...event, event_type: kind } as never
    await on[kind](typed, { ...context, prepared: await prepare(typed, context) })
  }
  return { service, note, handle, changed, removed, revisions, warnings, client, context }
}

describe('noteHandlers', () => {
  it.each(['note.ended', 'note.summary.generated', 'note.updated'] as const)(
    'calls changed with the current note, its transcript and its summary after %s (§1)',
    async (kind) => {
      const { handle, changed, note, revisions } = await aCopy()
      await handle(kind)
      expect(changed).toMatchObject([
        { note: { note_id: note.note_id }, transcript: { status: 'ready' }, summary: { status: 'ready' } },
      ])
      expect(changed[0]?.transcript.text).toEqual(expect.any(String))
      expect(changed[0]?.summary.markdown).toEqual(expect.any(String))
      expect(revisions).toEqual([note.revision])
    },
  )

  it('records the revision that it fetched, if the note has changed since the event', async () => {
    const { handle, note, revisions } = await aCopy()
    const revision = note.revision
    note.edit({ title: 'later' })
    await handle('note.updated', { revision })
    expect(revisions).toEqual([revision + 1])
  })

  it.each([
    ['deleted', 'deleted'],
    ['access_lost', 'access_lost'],
    [undefined, 'deleted'],
  ])('calls removed after note.deleted with the reason %s, without a request (§6)', async (reason, expected) => {
    const { handle, removed, note, service } = await aCopy()
    await handle('note.deleted', { reason })
    expect(removed).toEqual([{ noteId: note.note_id, reason: expected }])
    expect(service.requests).toEqual([])
  })

  it('calls removed for a note that was deleted after the event', async () => {
    const { handle, removed, changed, note } = await aCopy()
    note.delete()
    await handle('note.updated')
    expect({ removed, changed }).toEqual({ removed: [{ noteId: note.note_id, reason: 'deleted' }], changed: [] })
  })

  it('calls removed for a note that answers 404 a minute after the event, and throws before', async () => {
    const { handle, removed, note, service } = await aCopy()
    await handle('note.updated')
    note.moveTo(service.owner.createChannel('elsewhere'))
    await expect(handle('note.updated')).rejects.toMatchObject({ code: 'note_not_current', missing: 'note' })
    expect(removed).toEqual([])
    await handle('note.updated', {}, 60_000)
    expect(removed).toEqual([{ noteId: note.note_id, reason: 'not_found' }])
  })

  it('throws for a note that answers 404 at once, if the answers have a Date in the future', async () => {
    const { handle, removed, note, service, client } = await aCopy({}, undefined, 'Thu, 01 Jan 2099 00:00:00 GMT')
    await client.notes.get(note.note_id)
    note.moveTo(service.owner.createChannel('elsewhere'))
    const ageOfNow = service.clock.now() - Date.now()
    await expect(handle('note.updated', {}, ageOfNow)).rejects.toMatchObject({ code: 'note_not_current' })
    expect(removed).toEqual([])
  })

  it('throws while an announced part cannot be fetched, and applies the note without it after an hour', async () => {
    const { handle, changed, warnings, service } = await aCopy()
    const { note } = service.owner.record()
    const data = { note_id: note.note_id, revision: note.revision }
    await expect(handle('note.ended', data)).rejects.toMatchObject({ missing: 'transcript', noteId: note.note_id })
    await handle('note.ended', data, 3_600_001)
    expect(changed).toMatchObject([{ transcript: { status: 'pending' } }])
    expect(warnings).toEqual([{ missing: 'transcript' }])
  })

  it.each([401, 403, 429, 500, 503])('throws the error of the client if the service answers %i', async (status) => {
    const { handle, changed, removed, service } = await aCopy()
    service.faults.inject({ request: 'GET /v1/notes/*', fault: { kind: 'status', status } })
    await expect(handle('note.updated', {}, 3_600_001)).rejects.toMatchObject({ status })
    expect({ changed, removed }).toEqual({ changed: [], removed: [] })
  })

  it('ends the request for a part if the other one fails', async () => {
    const { note, context, service } = await aCopy()
    let ended: unknown
    const fetch = async (request: Request) => {
      if (request.url.endsWith('/transcript')) return new Response(null, { status: 403 })
      if (!request.url.endsWith('/summary')) return await service.fetch(request)
      return await new Promise<Response>((_, reject) => {
        request.signal.addEventListener('abort', () => {
          ended = request.signal.reason
          reject(ended)
        })
      })
    }
    const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch })
    const { prepare } = noteHandlers(client, { changed: () => undefined, removed: () => undefined })
    const data = { note_id: note.note_id, revision: note.revision }
    const preparing = prepare({ event_id: 'e1', event_type: 'note.updated', data }, context)
    await expect(preparing).rejects.toMatchObject({ code: 'forbidden' })
    await expect.poll(() => ended).toBeDefined()
  })

  it('fetches only the parts of the option parts', async () => {
    const { handle, changed, service } = await aCopy({}, ['summary'])
    await handle('note.ended')
    expect(changed).toMatchObject([{ transcript: { status: 'not_fetched' }, summary: { status: 'ready' } }])
    expect(service.requests.map(({ path }) => path.split('/').at(-1))).not.toContain('transcript')
  })

  it('asks for the client of the integration of the event', async () => {
    const { client, context, note } = await aCopy()
    const asked: string[] = []
    const clientOf = async (integration: string) => {
      asked.push(integration)
      return client
    }
    const { prepare } = noteHandlers(clientOf, { changed: () => undefined, removed: () => undefined })
    const event = { event_id: 'e1', data: { note_id: note.note_id, revision: note.revision } }
    await prepare({ ...event, event_type: 'note.updated' }, { ...context, integration: 'customer-7' })
    expect(asked).toEqual(['customer-7'])
  })

  it('rejects if changed rejects, and throws if changed throws', async () => {
    const { client, context, note } = await aCopy()
    const event = { event_id: 'e1', data: { note_id: note.note_id, revision: note.revision } }
    const updated = { ...event, event_type: 'note.updated' } as const
    const removed = () => undefined
    const rejecting = noteHandlers(client, { changed: () => Promise.reject(new Error('no disk')), removed })
    const prepared = await rejecting.prepare(updated, context)
    await expect(rejecting.on['note.updated'](updated, { ...context, prepared })).rejects.toThrow('no disk')
    const throwing = noteHandlers(client, { changed: failing, removed })
    expect(() => throwing.on['note.updated'](updated, { ...context, prepared })).toThrow('no disk')
  })

  it('calls changed and removed at once, without a promise', async () => {
    const { client, context, note } = await aCopy()
    const called: string[] = []
    const changed = () => called.push('changed')
    const { on, prepare } = noteHandlers(client, { changed, removed: () => called.push('removed') })
    const event = { event_id: 'e1', data: { note_id: note.note_id, revision: note.revision } }
    const updated = { ...event, event_type: 'note.updated' } as const
    const prepared = await prepare(updated, context)
    void on['note.updated'](updated, { ...context, prepared })
    void on['note.deleted']({ ...event, event_type: 'note.deleted' }, { ...context, prepared: undefined })
    expect(called).toEqual(['changed', 'removed'])
  })

  it.each([
    ['undefined', undefined],
    ['a promise of a client', Promise.resolve({})],
    ['its options', { baseUrl: 'https://notes.example' }],
  ])('refuses %s as the client', (_what, client) => {
    const handlers = { changed: () => undefined, removed: () => undefined }
    const making = () => noteHandlers(client as never, handlers)
    expect(making).toThrow(OptionError)
    expect(making).toThrow(/^client .*new NotesClient\(\)/)
  })

  it('says so if the function of an integration returns no client', async () => {
    const { context, note } = await aCopy()
    const handlers = { changed: () => undefined, removed: () => undefined }
    const { prepare } = noteHandlers(() => undefined as never, handlers)
    const data = { note_id: note.note_id, revision: note.revision }
    const preparing = prepare({ event_id: 'e1', event_type: 'note.updated', data }, context)
    await expect(preparing).rejects.toMatchObject({ option: 'client', message: expect.stringMatching(/returned/) })
  })

  it.each([[['transcripts']], ['transcript'], [[undefined]], [null]])('refuses the parts %j', async (parts) => {
    const { client } = await aCopy()
    const making = () => noteHandlers(client, { changed: () => undefined, removed: () => undefined, parts } as never)
    expect(making).toThrow(OptionError)
    expect(making).toThrow(/^parts .*'transcript', 'summary'/)
  })

  it('names a missing function and an unknown option', async () => {
    const { client } = await aCopy()
    const changed = () => undefined
    expect(() => noteHandlers(client, { changed } as never)).toThrow(OptionError)
    expect(() => noteHandlers(client, { changed, deleted: changed } as never)).toThrow('deleted')
  })
})

function failing(): void {
  throw new Error('no disk')
}

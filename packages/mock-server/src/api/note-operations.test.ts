import type { Note, NotePage, Summary, Transcript } from '@notewire/protocol'
import { noteSchema, summarySchema, transcriptSchema } from '@notewire/protocol/schemas'
import { describe, expect, it } from 'vitest'
import { call, pagesOf, refusal } from '../../fixtures/call.ts'
import { createNotesService } from '../service/create-notes-service.ts'

describe('GET /v1/notes', () => {
  it('lists 50 notes per page in order of creation, with a cursor while there are more (§4)', async () => {
    await using service = await createNotesService({ notes: 120 })
    const first = await call<NotePage>(service, 'GET /v1/notes')
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ has_more: true, next_cursor: expect.any(String) })
    expect(first.body.notes).toHaveLength(50)

    const pages = await pagesOf(service, 50)
    expect(pages.map(({ notes }) => notes.length)).toEqual([50, 50, 20])
    expect(pages.at(-1)).toMatchObject({ has_more: false, next_cursor: null })
    const created = pages.flatMap(({ notes }) => notes.map(({ created_at }) => created_at))
    expect(created).toEqual([...created].sort())
    expect(new Set(pages.flatMap(({ notes }) => notes.map(({ note_id }) => note_id))).size).toBe(120)
  })

  it('answers has_more: false with a last page that is full (§4)', async () => {
    await using service = await createNotesService({ notes: 4 })
    const pages = await pagesOf(service, 2)
    expect(pages.map(({ notes }) => notes.length)).toEqual([2, 2])
  })

  it('answers an empty page if there are no notes (row 1)', async () => {
    await using service = await createNotesService()
    const { body } = await call(service, 'GET /v1/notes')
    expect(body).toEqual({ notes: [], next_cursor: null, has_more: false })
  })

  it.each(['0', '101', '-1', '1.5', 'ten', '', '1e1'])('answers 400 to limit=%s (row 5)', async (limit) => {
    await using service = await createNotesService()
    expect(await refusal(call(service, `GET /v1/notes?limit=${limit}`))).toEqual([400, 'invalid_parameter'])
  })

  it.each(['1', '100'])('accepts limit=%s (row 5)', async (limit) => {
    await using service = await createNotesService({ notes: 101 })
    const { body } = await call<NotePage>(service, `GET /v1/notes?limit=${limit}`)
    expect(body.notes).toHaveLength(Number(limit))
  })

  it('answers 400 invalid_cursor to a cursor that is changed, made up, or of another integration (row 6)', async () => {
    await using service = await createNotesService({ notes: 3 })
    const stranger = service.owner.createIntegration({ channels: [service.owner.createChannel('Team')] }).issueKey()
    const { body } = await call<NotePage>(service, 'GET /v1/notes?limit=1')
    const cursor = body.next_cursor ?? ''
    for (const forged of ['', 'abc', '0', `${cursor}x`, cursor.slice(0, -1), `2${cursor.slice(1)}`, `0${cursor}`]) {
      const refused = refusal(call(service, `GET /v1/notes?cursor=${forged}`))
      expect(await refused).toEqual([400, 'invalid_cursor'])
    }
    const foreign = refusal(call(service, `GET /v1/notes?cursor=${cursor}`, { key: stranger.key }))
    expect(await foreign).toEqual([400, 'invalid_cursor'])
  })

  it('continues after the last listed note, even if notes were deleted and recorded since (row 6)', async () => {
    await using service = await createNotesService({ notes: 4 })
    const [one, two, three, four] = service.owner.notes()
    const { body } = await call<NotePage>(service, 'GET /v1/notes?limit=2')
    two?.delete()
    three?.delete()
    const added = service.owner.record().note
    const rest = await call<NotePage>(service, `GET /v1/notes?cursor=${body.next_cursor}`)
    expect(body.notes.map(({ note_id }) => note_id)).toEqual([one?.note_id, two?.note_id])
    expect(rest.body.notes.map(({ note_id }) => note_id)).toEqual([four?.note_id, added.note_id])
  })

  it('lists notes whose updated_at is later than updated_after (§4, row 7)', async () => {
    await using service = await createNotesService()
    const before = service.owner.record({ title: 'Before' }).note
    await service.clock.advance('1s')
    const at = service.owner.record({ title: 'At' }).note
    await service.clock.advance(1)
    const after = service.owner.record({ title: 'After' }).note
    const ids = async (timestamp: string) =>
      (await call<NotePage>(service, `GET /v1/notes?updated_after=${timestamp}`)).body.notes.map(
        ({ note_id }) => note_id,
      )
    expect(await ids('2026-01-01T00:00:01Z')).toEqual([after.note_id])
    expect(await ids('2026-01-01T00:00:00.999Z')).toEqual([at.note_id, after.note_id])
    before.edit({ title: 'Edited' })
    expect(await ids('2026-01-01T00:00:01.000Z')).toEqual([before.note_id, after.note_id])
  })

  it.each([
    'yesterday',
    '2026-01-01',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01T00:00:00',
    '1767225600',
  ])('answers 400 to updated_after=%s', async (timestamp) => {
    await using service = await createNotesService()
    const refused = refusal(call(service, `GET /v1/notes?updated_after=${timestamp}`))
    expect(await refused).toEqual([400, 'invalid_parameter'])
  })

  it('lists tombstones only with include_deleted=true, and with updated_after only newer ones (§2, §4, row 7)', async () => {
    await using service = await createNotesService({ notes: 2 })
    const [gone, kept] = service.owner.notes()
    await service.clock.advance('1h')
    gone?.delete()
    const ids = async (query: string) =>
      (await call<NotePage>(service, `GET /v1/notes?${query}`)).body.notes.map(({ note_id }) => note_id)
    expect(await ids('')).toEqual([kept?.note_id])
    expect(await ids('include_deleted=false')).toEqual([kept?.note_id])
    expect(await ids('include_deleted=true')).toEqual([gone?.note_id, kept?.note_id])
    expect(await ids('include_deleted=true&updated_after=2026-01-01T00:30:00Z')).toEqual([gone?.note_id])
    expect(await ids('include_deleted=true&updated_after=2026-01-01T01:00:00Z')).toEqual([])
    expect(await refusal(call(service, 'GET /v1/notes?include_deleted=yes'))).toEqual([400, 'invalid_parameter'])
  })
})

describe('GET /v1/notes/{note_id}', () => {
  it('returns the note, with its identifier under both names (§2, row 2, row 3)', async () => {
    await using service = await createNotesService()
    const { note_id } = service.owner.record({ title: 'Stand-up', content: 'Bring cake' }).note
    const { status, body } = await call(service, `GET /v1/notes/${note_id}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      note_id,
      id: note_id,
      revision: 1,
      title: 'Stand-up',
      content: 'Bring cake',
      status: 'pending',
      transcript_status: 'pending',
      summary_status: 'pending',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      ended_at: null,
      deleted_at: null,
      owner: { type: 'personal' },
    })
    expect(noteSchema.parse(body).note_id).toBe(note_id)
  })

  it('returns a tombstone for a deleted note: without content, at a higher revision (row 4, row 8)', async () => {
    await using service = await createNotesService()
    const note = service.owner.record({ title: 'Secret', content: 'Secret' }).end()
    await service.settled()
    const revision = note.revision
    note.delete()
    const { body } = await call<Note>(service, `GET /v1/notes/${note.note_id}`)
    expect(body).toMatchObject({ status: 'deleted', title: null, content: null, revision: revision + 1 })
    expect(body.deleted_at).toBe(body.updated_at)
    expect(JSON.stringify(body)).not.toContain('Secret')
  })

  it('answers 404 for a note that is unknown or that the key cannot access (row 8)', async () => {
    await using service = await createNotesService({ notes: 1 })
    const channel = service.owner.createChannel('Team')
    const hidden = service.owner.record({ channel }).note
    expect(await refusal(call(service, 'GET /v1/notes/note_1'))).toEqual([404, 'not_found'])
    expect(await refusal(call(service, `GET /v1/notes/${hidden.note_id}`))).toEqual([404, 'not_found'])
    expect(await refusal(call(service, 'GET /v1/notes/%E0%A4%A'))).toEqual([404, 'not_found'])
  })
})

describe('GET /v1/notes/{note_id}/transcript', () => {
  it('answers 404 not_ready until the session has ended, then the transcript with the current revision (§4, row 9)', async () => {
    await using service = await createNotesService()
    const recording = service.owner.record()
    const operation = `GET /v1/notes/${recording.note.note_id}/transcript`
    expect(await refusal(call(service, operation))).toEqual([404, 'not_ready'])
    recording.end({ transcript: [{ speaker: 'Ada', text: 'One two' }, { text: 'Three' }] })
    const { status, body } = await call(service, operation)
    expect(status).toBe(200)
    expect(body).toEqual({
      note_id: recording.note.note_id,
      revision: 2,
      text: 'Ada: One two\nThree',
      segments: [
        { speaker: 'Ada', start_ms: 0, end_ms: 760, text: 'One two' },
        { speaker: null, start_ms: 1360, end_ms: 1740, text: 'Three' },
      ],
    })
    expect(transcriptSchema.parse(body).segments).toHaveLength(2)
  })

  it('grows with every session that ends (§1)', async () => {
    await using service = await createNotesService()
    const note = service.owner.record().end({ transcript: [{ text: 'First' }] })
    const second = note.record()
    const read = async () => (await call<Transcript>(service, `GET /v1/notes/${note.note_id}/transcript`)).body.text
    expect(await read()).toBe('First')
    second.end({ transcript: [{ text: 'Second' }] })
    expect(await read()).toBe('First\nSecond')
  })

  it('is empty, with the status empty, if nothing was said', async () => {
    await using service = await createNotesService()
    const { note_id } = service.owner.record().end({ transcript: [] })
    expect((await call<Note>(service, `GET /v1/notes/${note_id}`)).body.transcript_status).toBe('empty')
    expect((await call(service, `GET /v1/notes/${note_id}/transcript`)).body).toMatchObject({ text: '', segments: [] })
  })

  it('is generated with several speakers if the owner gives none, the same at every read', async () => {
    await using service = await createNotesService({ notes: 1 })
    const [note] = service.owner.notes()
    const { body } = await call<Transcript>(service, `GET /v1/notes/${note?.note_id}/transcript`)
    expect(new Set(body.segments?.map(({ speaker }) => speaker)).size).toBeGreaterThan(1)
    expect((await call(service, `GET /v1/notes/${note?.note_id}/transcript`)).body).toEqual(body)
  })
})

describe('GET /v1/notes/{note_id}/summary', () => {
  it('returns its status and null until it is generated, then the Markdown with the current revision (§1, §4, row 10)', async () => {
    await using service = await createNotesService()
    const note = service.owner.record().end({ summary: '# Done' })
    const read = async () => (await call<Summary>(service, `GET /v1/notes/${note.note_id}/summary`)).body
    expect(await read()).toEqual({ note_id: note.note_id, revision: 2, status: 'pending', markdown: null })
    await service.settled()
    expect(await read()).toEqual({ note_id: note.note_id, revision: 3, status: 'ready', markdown: '# Done' })
    expect(summarySchema.parse(await read()).markdown).toBe('# Done')
  })

  it('stays missing with summary: false', async () => {
    await using service = await createNotesService()
    const { note_id } = service.owner.record().end({ summary: false })
    await service.settled()
    const { body } = await call(service, `GET /v1/notes/${note_id}/summary`)
    expect(body).toMatchObject({ status: 'missing', markdown: null })
  })
})

describe('the content of a deleted note', () => {
  it.each(['transcript', 'summary'])('is not readable: its %s answers 404', async (part) => {
    await using service = await createNotesService({ notes: 1 })
    const [note] = service.owner.notes()
    note?.delete()
    expect(await refusal(call(service, `GET /v1/notes/${note?.note_id}/${part}`))).toEqual([404, 'not_found'])
  })
})

import { createNotesService } from '@notewire/mock-server'
import { describe, expect, it } from 'vitest'
import { API_KEY, CONTENT, shownBy } from '../../fixtures/secrets.ts'
import { NotesClient } from '../notes-client.ts'
import type { DriftNotice } from '../options/hooks.ts'

describe('onDrift', () => {
  it('reports unknown fields of every resource, and of the objects in it', async () => {
    const { client, drift } = watched({
      '/v1/notes/n1': { note_id: 'n1', revision: 1, mood: 'bright', owner: { type: 'personal', team: 7 } },
      '/v1/notes/n1/transcript': { note_id: 'n1', text: '', language: 'nl', segments: [{ text: '', words: [] }] },
      '/v1/notes/n1/summary': { note_id: 'n1', markdown: null, model: 'x' },
      '/v1/webhook-endpoints/e1': { endpoint_id: 'e1', region: 'eu' },
    })
    await client.notes.get('n1')
    await client.notes.transcript('n1')
    await client.notes.summary('n1')
    await client.webhookEndpoints.get('e1')
    expect(drift.map(({ resource, field, value }) => `${resource}.${field} ${value}`)).toEqual([
      'note.owner.team undefined',
      'note.mood undefined',
      'transcript.segments.words undefined',
      'transcript.language undefined',
      'summary.model undefined',
      'webhook_endpoint.region undefined',
    ])
  })

  it('reports unknown values of every enumeration', async () => {
    const { client, drift } = watched({
      '/v1/notes/n1': {
        note_id: 'n1',
        revision: 1,
        status: 'archived',
        transcript_status: 'skipped',
        summary_status: 'ready',
        owner: { type: 'team' },
      },
      '/v1/webhook-endpoints': [{ endpoint_id: 'e1', events: ['note.ended', 'note.shared'], status: 'paused' }],
    })
    await client.notes.get('n1')
    await client.webhookEndpoints.list()
    expect(drift).toEqual([
      { resource: 'note', field: 'status', value: 'archived' },
      { resource: 'note', field: 'transcript_status', value: 'skipped' },
      { resource: 'note.owner', field: 'type', value: 'team' },
      { resource: 'webhook_endpoint', field: 'events', value: 'note.shared' },
      { resource: 'webhook_endpoint', field: 'status', value: 'paused' },
    ])
  })

  it('reports each field and value once', async () => {
    const notes = ['n1', 'n2', 'n3'].map((note_id) => ({ note_id, revision: 1, mood: note_id, status: 'archived' }))
    const { client, drift } = watched({ '/v1/notes': { notes, has_more: false } })
    for (let round = 0; round < 2; round += 1) for await (const _ of client.notes.list());
    expect(drift.map(({ field }) => field)).toEqual(['status', 'mood'])
  })

  it('reports only the name of an unknown field, and no text of more than one word', async () => {
    const { client, drift } = watched({
      '/v1/notes/n1': { note_id: 'n1', revision: 1, mood: CONTENT, [CONTENT]: 1, status: CONTENT, title: CONTENT },
    })
    await client.notes.get('n1')
    expect(drift).toEqual([
      { resource: 'note', field: 'status', value: undefined },
      { resource: 'note', field: 'mood', value: undefined },
      { resource: 'note', field: '?', value: undefined },
    ])
    expect(shownBy(drift)).not.toContain(CONTENT)
  })

  it('reports a field that has the name of an inherited property', async () => {
    const { client, drift } = watched({ '/v1/notes/n1': { note_id: 'n1', revision: 1, constructor: 'x', toString: 1 } })
    await client.notes.get('n1')
    expect(drift.map(({ field }) => field)).toEqual(['constructor', 'toString'])
  })

  it('is called a thousand times at most', async () => {
    const fields = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`field_${index}`, 1]))
    const { client, drift } = watched({ '/v1/notes/n1': { note_id: 'n1', revision: 1, ...fields } })
    await client.notes.get('n1')
    expect(drift).toHaveLength(1000)
  })

  it('is not called for the fields and values of the contract and its open points', async () => {
    await using service = await createNotesService({ notes: 3 })
    const drift: DriftNotice[] = []
    const hooks = { onDrift: (notice: DriftNotice) => void drift.push(notice) }
    const { baseUrl, apiKey, fetch } = service
    const client = new NotesClient({ baseUrl, apiKey, fetch, hooks })
    await client.webhookEndpoints.create({ url: 'https://app.example/hooks', events: ['note.ended'] })
    await client.webhookEndpoints.list()
    for await (const { transcript } of client.notes.listWithContent()) expect(transcript.status).toBe('ready')
    expect(drift).toEqual([])
  })
})

/** A client of a service with these responses, and the notices of its hook. */
function watched(answers: Readonly<Record<string, unknown>>) {
  const drift: DriftNotice[] = []
  const fetch = async (request: Request) => Response.json(answers[new URL(request.url).pathname])
  const hooks = { onDrift: (notice: DriftNotice) => void drift.push(notice) }
  return { drift, client: new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY, fetch, hooks }) }
}

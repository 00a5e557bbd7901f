import { NotesClient, type NotesClientOptions } from '@notewire/client'
import { type ContractVariants, createNotesService, type NotesService } from '@notewire/mock-server'
import { isTombstone, type NoteEvent } from '@notewire/protocol'
import { createReceiver } from '@notewire/webhooks'
import { describe, expect, it } from 'vitest'

/** Both sides of every "must also work when" of open-points.md, by row: the default is what the empty contract plays. */
const VARIANTS: readonly (readonly [row: string, contract: ContractVariants, client?: Partial<NotesClientOptions>])[] =
  [
    ['every default', {}],
    ['1: another field holds the notes', { notesField: 'items' }, { notesField: 'items' }],
    ['2: note_id alone', { noteIdentifier: 'note_id' }],
    ['2: id alone', { noteIdentifier: 'id' }],
    ['3: identifier and revision alone', { noteFields: 'required' }],
    ['3: new values and fields', { noteFields: 'unfamiliar' }],
    ['4: a tombstone of marker alone', { tombstone: 'marker' }],
    ['5: a limit that is capped', { limitOutOfRange: 'capped' }],
    ['6: empty pages with more to follow', { emptyPages: true }],
    ['6: no cursor on the last page', { lastCursor: 'absent' }],
    ['6: an empty cursor on the last page', { lastCursor: 'empty' }],
    ['7: a boundary that is included', { updatedAfter: 'inclusive' }],
    ['7: times to the second', { timestamps: 'seconds' }],
    ['7: times to the minute, boundary included', { timestamps: 'minutes', updatedAfter: 'inclusive' }],
    ['8: 404 for deleted notes', { noteOperation: 'live_notes' }],
    ['8: no operation to read one note', { noteOperation: 'absent' }],
    ['9: 409 for a transcript that is not ready', { transcriptNotReady: 409 }],
    ['9: 202 for a transcript that is not ready', { transcriptNotReady: 202 }],
    ['9 and 10: content at a lower revision', { contentRevision: 'written' }],
    ['9 and 10: content without a revision', { contentRevision: 'absent' }],
    ['10: 404 for a summary that is not ready', { summaryNotReady: 404 }],
    ['11: endpoint events without data', { endpointEventData: 'empty' }],
    ['11: endpoint events may be subscribed to', { endpointKinds: 'accepted' }],
    ['12: a reason that is null', { otherReasons: 'null' }],
    ['13: endpoints with id, and nothing else', { endpointIdentifier: 'id', endpointFields: 'required' }],
    ['14: no operation on endpoints but their creation', { endpointOperations: 'creation' }],
    ['15 and 16: another disabled state, after fewer failures', { disabledState: 'suspended', disableAfter: 3 }],
    ['16: only exhausted deliveries count', { disableCounts: 'deliveries' }],
    ['17: events are queued', { whileInactive: 'queued' }],
    ['18: active after a change of URL', { afterUrlChange: 'active' }],
    ['19: another webhook-id at every attempt', { webhookId: 'per_attempt' }],
    ['20: a deletion at an unchanged revision', { deletionRaisesRevision: false }],
    ['21: no debounce', { debounceQuiet: 0 }],
    ['21: a longer debounce', { debounceQuiet: '1m', debounceLongest: '10m' }],
    ['22: errors in HTML', { errorBody: 'html', requestId: false }],
    ['22: errors without a body', { errorBody: 'empty' }],
    ['23: other scopes', { noteScope: 'notes:list', endpointScope: 'endpoints:write' }],
    ['24: another prefix of keys', { keyPrefix: 'acme' }],
    ['27: a verification before the response', { verification: 'before_response' }],
    ['28: gained access is announced', { accessGained: 'announced' }],
    ['28: gained access raises the revision', { accessGained: 'revised' }],
    ['29: events in any order', { eventOrder: 'any' }],
  ]

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

const clientOf = (service: NotesService, options: Partial<NotesClientOptions> = {}) =>
  new NotesClient({
    baseUrl: service.baseUrl,
    apiKey: service.apiKey,
    fetch: service.fetch,
    clock: service.clock,
    ...options,
  })

const rows = VARIANTS.map(([row, contract, clientOptions]) => ({ row, contract, clientOptions }))

describe.each(rows)('row $row', ({ contract, clientOptions }) => {
  it('a copy that handlers keep by reading each note agrees with the service', async () => {
    await using service = await createNotesService({ contract, disorder: { duplicated: 0.5, failing: 0.2 } })
    const client = clientOf(service, clientOptions)
    const copy = await aCopy(service, client)
    await service.clock.advance('30s')
    liveAWhile(service)
    await service.clock.advance('3h')
    expect(service.deliveries.filter(({ status }) => status !== 'delivered')).toEqual([])
    expect(copy.size).toBe(2)
    expect(copy).toEqual(await revisionsAt(client))
  })

  it('the client lists every note once, in pages of any size, with content and with tombstones', async () => {
    await using service = await createNotesService({ notes: 12, contract })
    const [gone, ...kept] = service.owner.notes()
    gone?.delete()
    const client = clientOf(service, clientOptions)
    const ids = kept.map(({ note_id }) => note_id)
    for (const limit of [1, 5, 100]) {
      const listed: string[] = []
      for await (const note of client.notes.list({ limit })) listed.push(note.note_id)
      expect(listed).toEqual(ids)
    }
    const tombstones: string[] = []
    for await (const note of client.notes.list({ include_deleted: true })) {
      if (isTombstone(note)) tombstones.push(note.note_id)
    }
    expect(tombstones).toEqual([gone?.note_id])
    for await (const { note, transcript, summary } of client.notes.listWithContent()) {
      expect([note.note_id, transcript.status, summary.status]).toEqual([expect.any(String), 'ready', 'ready'])
    }
  })

  it('the client hears of every change that it asks for', async () => {
    await using service = await createNotesService({ notes: 6, contract })
    const client = clientOf(service, clientOptions)
    let checkpoint: string | undefined
    for await (const page of client.notes.changes()) checkpoint = page.checkpoint
    await service.clock.advance('10m')
    const [edited, deleted] = service.owner.notes()
    edited?.edit({ title: 'Edited' })
    deleted?.delete()
    const changed = new Set<string>()
    for await (const { notes } of client.notes.changes({ after: checkpoint })) {
      for (const { note_id } of notes) changed.add(note_id)
    }
    expect(changed).toContain(edited?.note_id)
    expect(changed).toContain(deleted?.note_id)
  })
})

describe('what cannot work is said by a typed error', () => {
  it('row 6: a cursor that repeats, and never an endless loop', async () => {
    await using service = await createNotesService({ notes: 9, contract: { repeatingCursor: true } })
    const read = async () => {
      for await (const _ of clientOf(service).notes.list({ limit: 2 }));
    }
    await expect(read()).rejects.toMatchObject({ code: 'cursor_repeated' })
  })

  it('row 6: a cursor that expired', async () => {
    await using service = await createNotesService({ notes: 9, contract: { cursorLifetime: '1m' } })
    const read = async () => {
      for await (const _ of clientOf(service).notes.list({ limit: 2 })) await service.clock.advance('2m')
    }
    await expect(read()).rejects.toMatchObject({ code: 'cursor_expired' })
  })

  it('row 14: an operation that the service does not have', async () => {
    await using service = await createNotesService({ contract: { endpointOperations: 'creation' } })
    const { webhookEndpoints } = clientOf(service)
    const { endpoint_id } = await webhookEndpoints.create({ url: 'https://receiver.test/', events: ['note.ended'] })
    await expect(webhookEndpoints.list()).rejects.toMatchObject({ code: 'not_supported' })
    await expect(webhookEndpoints.get(endpoint_id)).rejects.toMatchObject({ code: 'not_supported' })
    await expect(webhookEndpoints.rotateSecret(endpoint_id)).rejects.toMatchObject({ code: 'not_supported' })
  })

  it.each([404, 409, 202] as const)('row 9: a transcript that is not ready, by %i', async (transcriptNotReady) => {
    await using service = await createNotesService({ contract: { transcriptNotReady } })
    const { note } = service.owner.record()
    await expect(clientOf(service).notes.transcript(note.note_id)).rejects.toMatchObject({ code: 'not_ready' })
  })

  it.each(['json', 'html', 'empty'] as const)('row 22: a key that is not known, by a body of %s', async (errorBody) => {
    await using service = await createNotesService({ contract: { errorBody } })
    const client = clientOf(service, { apiKey: 'ntw_live_k.s' })
    await expect(client.notes.get('note_1')).rejects.toMatchObject({ code: 'unauthorized' })
  })
})

describe('row 20: a summary that becomes ready at an unchanged revision', () => {
  it('is applied by a receiver whose gate decides per kind', async () => {
    await using service = await createNotesService({ contract: { summaryRaisesRevision: false } })
    const applied: string[] = []
    const apply = ({ event_type }: NoteEvent) => void applied.push(event_type)
    const on = { 'note.ended': apply, 'note.summary.generated': apply }
    await service.connect(
      (secret) => createReceiver({ secret, clock: service.clock, logger: quiet, revisionGate: 'per-kind', on }).fetch,
    )
    service.owner.record().end()
    await service.settled()
    expect(applied).toEqual(['note.ended', 'note.summary.generated'])
  })
})

/** A copy of the revisions, kept by a receiver that reads each note. */
async function aCopy(service: NotesService, client: NotesClient): Promise<ReadonlyMap<string, number>> {
  const copy = new Map<string, number>()
  const refresh = async ({ data }: NoteEvent) => {
    try {
      const note = await client.notes.get(data.note_id)
      if (isTombstone(note)) copy.delete(data.note_id)
      else copy.set(data.note_id, note.revision)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'not_found')) throw error
      copy.delete(data.note_id)
    }
  }
  const on = {
    'note.ended': refresh,
    'note.summary.generated': refresh,
    'note.updated': refresh,
    'note.deleted': ({ data }: NoteEvent) => void copy.delete(data.note_id),
  }
  await service.connect((secret) => createReceiver({ secret, clock: service.clock, logger: quiet, on }).fetch)
  return copy
}

function liveAWhile(service: NotesService): void {
  const { owner } = service
  const team = owner.createChannel('Team')
  const [kept, edited, deleted, moved] = ['Kept', 'Edited', 'Deleted', 'Moved'].map((title) =>
    owner.record({ title }).end(),
  )
  kept?.record().end()
  edited?.edit({ title: 'Edited once' })
  edited?.edit({ title: 'Edited twice' })
  deleted?.delete()
  moved?.moveTo(team)
}

async function revisionsAt(client: NotesClient): Promise<ReadonlyMap<string, number>> {
  const revisions = new Map<string, number>()
  for await (const { note_id, revision } of client.notes.list()) revisions.set(note_id, revision)
  return revisions
}

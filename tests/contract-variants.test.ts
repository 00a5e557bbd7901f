import { NotesClient, type NotesClientOptions } from '@notewire/client'
import { createMirror, memoryMirror } from '@notewire/mirror'
import { type ContractVariants, createNotesService, type NotesService } from '@notewire/mock-server'
import {
  type Drift,
  ENDPOINT_EVENT_KINDS,
  isTombstone,
  NOTE_EVENT_KINDS,
  type NoteEvent,
  systemClock,
  type WebhookEvent,
} from '@notewire/protocol'
import { createReceiver } from '@notewire/webhooks'
import { signAttempt } from '@notewire/webhooks/testing'
import { describe, expect, it } from 'vitest'

/** Both sides of every "must also work when" of the contract's open points, by number: the default is what the empty contract plays. */
const VARIANTS: readonly (readonly [row: string, contract: ContractVariants, client?: Partial<NotesClientOptions>])[] =
  [
    ['every default', {}],
    ['row 1: another field holds the notes', { notesField: 'items' }, { notesField: 'items' }],
    ['row 2: note_id alone', { noteIdentifier: 'note_id' }],
    ['row 2: id alone', { noteIdentifier: 'id' }],
    ['row 3: identifier and revision alone', { noteFields: 'required' }],
    ['row 3: new values and fields', { noteFields: 'unfamiliar' }],
    ['row 4: a tombstone of marker alone', { tombstone: 'marker' }],
    ['row 5: a limit that is capped', { limitOutOfRange: 'capped' }],
    ['row 6: empty pages with more to follow', { emptyPages: true }],
    ['row 6: no cursor on the last page', { lastCursor: 'absent' }],
    ['row 6: an empty cursor on the last page', { lastCursor: 'empty' }],
    ['row 7: a boundary that is included', { updatedAfter: 'inclusive' }],
    ['row 7: times to the second', { timestamps: 'seconds' }],
    ['row 7: times to the minute, boundary included', { timestamps: 'minutes', updatedAfter: 'inclusive' }],
    ['row 8: 404 for deleted notes', { noteOperation: 'live_notes' }],
    ['row 8: no operation to read one note', { noteOperation: 'absent' }],
    ['9: 409 for a transcript that is not ready', { transcriptNotReady: 409 }],
    ['9: 202 for a transcript that is not ready', { transcriptNotReady: 202 }],
    ['row 9: 404 without not_ready for a transcript that is not ready', { transcriptNotReady: 'not_found' }],
    ['rows 9 and 10: content at a lower revision', { contentRevision: 'written' }],
    ['rows 9 and 10: content without a revision', { contentRevision: 'absent' }],
    ['row 10: 404 for a summary that is not ready', { summaryNotReady: 404 }],
    ['row 10: 404 without not_ready for a summary that is not ready', { summaryNotReady: 'not_found' }],
    ['row 11: endpoint events without data', { endpointEventData: 'empty' }],
    ['row 11: endpoint events may be subscribed to', { endpointKinds: 'accepted' }],
    ['row 12: a reason that is null', { otherReasons: 'null' }],
    ['row 13: endpoints with id, and nothing else', { endpointIdentifier: 'id', endpointFields: 'required' }],
    ['14: no operation on endpoints but their creation', { endpointOperations: 'creation' }],
    ['rows 15 and 16: another disabled state, after fewer failures', { disabledState: 'suspended', disableAfter: 3 }],
    ['row 16: only exhausted deliveries count', { disableCounts: 'deliveries' }],
    ['row 17: events are queued', { whileInactive: 'queued' }],
    ['row 18: active after a change of URL', { afterUrlChange: 'active' }],
    ['row 19: another webhook-id at every attempt', { webhookId: 'per_attempt' }],
    ['row 20: a deletion at an unchanged revision', { deletionRaisesRevision: false }],
    ['row 21: no debounce', { debounceQuiet: 0 }],
    ['row 21: a longer debounce', { debounceQuiet: '1m', debounceLongest: '10m' }],
    ['row 22: errors in HTML', { errorBody: 'html', requestId: false }],
    ['row 22: errors without a body', { errorBody: 'empty' }],
    ['row 23: other scopes', { noteScope: 'notes:list', endpointScope: 'endpoints:write' }],
    ['row 24: another prefix of keys', { keyPrefix: 'acme' }],
    ['row 24: keys with symbols in prefix and secret', { keyPrefix: 'acme-notes_eu', keyForm: 'symbols' }],
    ['row 24: keys without a key id', { keyForm: 'without_key_id' }],
    ['row 27: a verification before the response', { verification: 'before_response' }],
    ['row 28: gained access is announced', { accessGained: 'announced' }],
    ['row 28: gained access raises the revision', { accessGained: 'revised' }],
    ['row 29: events in any order', { eventOrder: 'any' }],
    ['row 31: events with the fields that are required alone', { eventFields: 'required' }],
    ['row 31: events whose other fields are null', { eventFields: 'null' }],
    ['row 31: events whose other fields have other types', { eventFields: 'mistyped' }],
  ]

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

const clientOf = (service: NotesService, options: Partial<NotesClientOptions> = {}) =>
  new NotesClient({
    baseUrl: service.baseUrl,
    apiKey: service.apiKey,
    fetch: service.fetch,
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

  it('the client lists every note once, in pages of any size, with content and with tombstones (§1, §6)', async () => {
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

  it('the client hears of every change that it asks for (§1)', async () => {
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

  it.each(['json', 'html', 'empty'] as const)(
    'rows 9 and 10: content that is not ready, by a 404 and a body of %s, is not mistaken for a missing note',
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

  it.each(['json', 'html', 'empty'] as const)('row 22: a key that is not known, by a body of %s', async (errorBody) => {
    await using service = await createNotesService({ contract: { errorBody } })
    const client = clientOf(service, { apiKey: 'ntw_live_k.s' })
    await expect(client.notes.get('note_1')).rejects.toMatchObject({ code: 'unauthorized' })
  })
})

describe('row 8: a service that cannot read one note', () => {
  it('is read through its list, which the client says', async () => {
    await using service = await createNotesService({ notes: 3, contract: { noteOperation: 'absent' } })
    const client = clientOf(service)
    const [gone, kept] = service.owner.notes()
    gone?.delete()
    const { note_id = '' } = kept ?? {}
    expect(client.notes.readsFromList).toBe(false)
    await expect(client.notes.get(note_id)).resolves.toMatchObject({ note_id, status: 'ended' })
    expect(client.notes.readsFromList).toBe(true)
    await expect(client.notes.get(gone?.note_id ?? '')).resolves.toMatchObject({ status: 'deleted' })
    await expect(client.notes.get('note_unknown')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a mirror that events alone keep up to date', () => {
  it.each<ContractVariants>([
    { noteOperation: 'live_notes' },
    { noteOperation: 'absent' },
    { transcriptNotReady: 'not_found', summaryNotReady: 'not_found', errorBody: 'empty' },
    { eventFields: 'required' },
    { eventFields: 'null' },
    { eventFields: 'mistyped' },
  ])('agrees with the service under %j', async (contract) => {
    await using service = await createNotesService({ contract })
    const client = clientOf(service)
    const mirror = createMirror({ client, store: memoryMirror(), clock: service.clock })
    await mirror.sync()
    await service.connect((secret) => mirror.receiver({ secret, clock: service.clock, logger: quiet }).fetch)
    liveAWhile(service)
    // What an event marks may be read again once the lag of the service is over.
    for (let minutes = 0; minutes < 30; minutes += 1) {
      await service.clock.advance('1m')
      await mirror.settle()
    }
    expect(service.deliveries.filter(({ status }) => status !== 'delivered')).toEqual([])
    const copy = new Map<string, number>()
    for await (const { note } of mirror.list()) copy.set(note.note_id, note.revision)
    expect(copy.size).toBe(2)
    expect(copy).toEqual(await revisionsAt(client))
  })
})

describe('row 20: a summary that becomes ready at an unchanged revision', () => {
  it('is applied by a receiver whose gate decides per kind (row 20)', async () => {
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

describe('row 31: the fields of an event', () => {
  const KINDS = [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS, 'note.merged'] as const
  const secret = 'whsec_c2VjcmV0LW9mLXRoaXMtdGVzdC1hbmQtbm8tb3RoZXI'

  /** What a receiver of each kind answers to a body, hands to its handler, and tells of drift. */
  async function deliver(body: object) {
    const handed: WebhookEvent[] = []
    const told: string[] = []
    const hand = (event: WebhookEvent) => void handed.push(event)
    const on = Object.fromEntries([...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS].map((kind) => [kind, hand]))
    const hooks = { onDrift: ({ path, found }: Drift) => void told.push(`${path}: ${found}`) }
    const receiver = createReceiver({ secret, on, onUnknown: hand, hooks, logger: quiet })
    const { headers, body: bytes } = await signAttempt(secret, body)
    const request = () => new Request('https://receiver.test/', { method: 'POST', headers, body: bytes })
    const { status } = await receiver.fetch(request())

    await using service = await createNotesService()
    const mirror = createMirror({ client: clientOf(service), store: memoryMirror(), clock: service.clock })
    const heard = await mirror.receiver({ secret, clock: systemClock, logger: quiet }).fetch(request())
    return { status, mirror: heard.status, event: handed[0], told }
  }

  const least = (kind: string) => ({
    event_id: 'event_1',
    event_type: kind,
    data: kind.startsWith('note.') ? { note_id: 'note_1', revision: 3 } : {},
  })

  it.each(KINDS)('%s needs nothing but its ids, its kind and its revision (row 31)', async (kind) => {
    const { status, mirror, event, told } = await deliver(least(kind))
    expect([status, mirror]).toEqual([204, 204])
    expect(event).toEqual(least(kind))
    expect(told).toEqual([
      'occurred_at: nothing',
      ...(kind === 'note.ended' ? ['data.recording_session_id: nothing'] : []),
    ])
  })

  it.each([
    ...NOTE_EVENT_KINDS.flatMap((kind) =>
      ['occurred_at', 'data.recording_session_id', 'data.transcript_status', 'data.summary_status'].map(
        (path) => [kind, path] as const,
      ),
    ),
    ['note.deleted', 'data.reason'] as const,
    ...ENDPOINT_EVENT_KINDS.flatMap((kind) =>
      ['occurred_at', 'data.endpoint_id', 'data'].map((path) => [kind, path] as const),
    ),
    ['note.merged', 'occurred_at'] as const,
    ['note.merged', 'data'] as const,
  ])('%s passes %s on as absent where it has another type (row 31)', async (kind, path) => {
    for (const wrong of [7, ['a'], true]) {
      const event = { ...least(kind), occurred_at: '2026-01-01T09:00:00Z' }
      const body = path.startsWith('data.')
        ? { ...event, data: { ...event.data, [path.slice(5)]: wrong } }
        : { ...event, [path]: wrong }
      const { status, mirror, event: handed, told } = await deliver(body)
      expect([status, mirror]).toEqual([204, 204])
      expect(handed).not.toHaveProperty(path, wrong)
      expect(told).toContain(`${path}: ${Array.isArray(wrong) ? 'array' : typeof wrong}`)
    }
  })

  const unusable = ['', 7, null, 'a\0', '\ud83d', 'x'.repeat(513), 'x'.repeat(20_000)]

  it.each(KINDS)('%s is malformed without an event_id that every store can hold', async (kind) => {
    for (const event_id of unusable) {
      const { status, mirror, event } = await deliver({ ...least(kind), event_id })
      expect([status, mirror, event]).toEqual([400, 400, undefined])
    }
  })

  it.each(NOTE_EVENT_KINDS)(
    '%s is malformed without a note_id that every store can hold, or a revision',
    async (kind) => {
      for (const note_id of unusable) {
        const { status, mirror } = await deliver({ ...least(kind), data: { note_id, revision: 3 } })
        expect([status, mirror]).toEqual([400, 400])
      }
      for (const revision of [undefined, null, '3', 1.5, -1, 2 ** 53]) {
        const { status, mirror } = await deliver({ ...least(kind), data: { note_id: 'note_1', revision } })
        expect([status, mirror]).toEqual([400, 400])
      }
    },
  )

  it.each(NOTE_EVENT_KINDS)('%s passes a recording session that stores cannot hold on as absent', async (kind) => {
    for (const session of unusable.filter((value) => value !== null)) {
      const { data, ...event } = least(kind)
      const { status, event: handed } = await deliver({ ...event, data: { ...data, recording_session_id: session } })
      expect(status).toBe(204)
      expect(handed?.data).toEqual(data)
    }
  })
})

describe('row 32: a note that is lost and regained at one revision', () => {
  it('is removed at each loss, and read again where the service announces that it is back (row 32)', async () => {
    await using service = await createNotesService({ contract: { accessGained: 'announced' } })
    const client = clientOf(service)
    const copy = await aCopy(service, client)
    const note = service.owner.record().end({ summary: false })
    const team = service.owner.createChannel('Team')
    await service.clock.advance('1m')
    expect(copy.get(note.note_id)).toBe(note.revision)
    for (let times = 0; times < 3; times += 1) {
      note.moveTo(team)
      await service.clock.advance('1m')
      expect(copy.has(note.note_id)).toBe(false)
      note.moveTo('personal')
      await service.clock.advance('1m')
      expect(copy.get(note.note_id)).toBe(note.revision)
    }
  })
})

describe('row 32: events at an equal revision', () => {
  const secret = 'whsec_c2VjcmV0LW9mLXRoaXMtdGVzdC1hbmQtbm8tb3RoZXI'
  const AT = '2026-01-01T09:00:00Z'
  const LATER = '2026-01-01T09:00:01Z'

  const anEvent = (event_id: string, event_type: string, occurred_at?: string) => ({
    event_id,
    event_type,
    occurred_at,
    data: { note_id: 'note_1', revision: 3 },
  })

  /** The ids of the events that a receiver applies, of some that come one after another. */
  async function applied(events: readonly object[], revisionGate?: 'strict' | 'per-kind'): Promise<readonly string[]> {
    const ids: string[] = []
    const apply = ({ event_id }: NoteEvent) => void ids.push(event_id)
    const on = Object.fromEntries(NOTE_EVENT_KINDS.map((kind) => [kind, apply]))
    const receiver = createReceiver({ secret, on, logger: quiet, ...(revisionGate && { revisionGate }) })
    for (const event of events) {
      const { headers, body } = await signAttempt(secret, event)
      const { status } = await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', headers, body }))
      expect(status).toBe(204)
    }
    return ids
  }

  const updated = anEvent('updated', 'note.updated', AT)
  const deleted = anEvent('deleted', 'note.deleted', AT)
  const back = anEvent('back', 'note.updated', LATER)

  it('are ignored, but a deletion passes', async () => {
    expect(await applied([updated, anEvent('again', 'note.updated', LATER), deleted])).toEqual(['updated', 'deleted'])
  })

  it.each([
    ['occurred with it', AT],
    ['occurred before it', '2026-01-01T08:59:59Z'],
    ['do not tell when they occurred', undefined],
    ['tell that unreadably', 'yesterday'],
  ])('are ignored after a deletion where they %s', async (_, occurredAt) => {
    expect(await applied([deleted, anEvent('late', 'note.updated', occurredAt)])).toEqual(['deleted'])
  })

  it('pass after a deletion where they occurred later, and then the note may be lost again', async () => {
    const lost = anEvent('lost', 'note.deleted', '2026-01-01T09:00:02Z')
    expect(await applied([updated, deleted, back, lost])).toEqual(['updated', 'deleted', 'back', 'lost'])
  })

  it('apply once each, whenever they come again', async () => {
    expect(await applied([updated, deleted, deleted, back, deleted, updated, back])).toEqual([
      'updated',
      'deleted',
      'back',
    ])
  })

  it('are all ignored under the gate of the contract', async () => {
    expect(await applied([updated, deleted, back], 'strict')).toEqual(['updated'])
  })
})

describe('row 37: 529', () => {
  it.each([503, 529])('the client sends a request again that was answered %i', async (status) => {
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
  ])('the client sends a key of %j as it was given, and shows it in no error', async (contract, form) => {
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

import type { NotesClientOptions } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { type ContractVariants, createNotesService } from '@notewire/mock-server'
import { isTombstone, type NoteEvent } from '@notewire/protocol'
import { createReceiver } from '@notewire/webhooks'
import { describe, expect, it } from 'vitest'
import { memoryMirror } from '../packages/mirror/fixtures/memory-mirror/memory-mirror.ts'
import { aCopy, changeNotes, clientOf, quiet, revisionsAt } from './contract-variants/service.ts'

/** The default and every alternative of the contract's open points. An empty contract is the default. */
const VARIANTS: readonly (readonly [row: string, contract: ContractVariants, client?: Partial<NotesClientOptions>])[] =
  [
    ['every default', {}],
    ['row 1: another field holds the notes', { notesField: 'items' }, { notesField: 'items' }],
    ['row 2: only note_id', { noteIdentifier: 'note_id' }],
    ['row 2: only id', { noteIdentifier: 'id' }],
    ['row 3: only identifier and revision', { noteFields: 'required' }],
    ['row 3: new values and fields', { noteFields: 'unfamiliar' }],
    ['row 4: a tombstone with only the marker', { tombstone: 'marker' }],
    ['row 5: a limit that is capped', { limitOutOfRange: 'capped' }],
    ['row 6: empty pages before the last page', { emptyPages: true }],
    ['row 6: no cursor on the last page', { lastCursor: 'absent' }],
    ['row 6: an empty cursor on the last page', { lastCursor: 'empty' }],
    ['row 7: an inclusive boundary', { updatedAfter: 'inclusive' }],
    ['row 7: times to the second', { timestamps: 'seconds' }],
    ['row 7: times to the minute, inclusive boundary', { timestamps: 'minutes', updatedAfter: 'inclusive' }],
    ['row 8: 404 for deleted notes', { noteOperation: 'live_notes' }],
    ['row 8: no operation to read one note', { noteOperation: 'absent' }],
    ['row 9: 409 for a transcript that is not ready', { transcriptNotReady: 409 }],
    ['row 9: 202 for a transcript that is not ready', { transcriptNotReady: 202 }],
    ['row 9: 404 without not_ready for a transcript that is not ready', { transcriptNotReady: 'not_found' }],
    ['rows 9 and 10: content at a lower revision', { contentRevision: 'written' }],
    ['rows 9 and 10: content without a revision', { contentRevision: 'absent' }],
    ['row 10: 404 for a summary that is not ready', { summaryNotReady: 404 }],
    ['row 10: 404 without not_ready for a summary that is not ready', { summaryNotReady: 'not_found' }],
    ['row 11: endpoint events without data', { endpointEventData: 'empty' }],
    ['row 11: endpoint events may be subscribed to', { endpointKinds: 'accepted' }],
    ['row 12: a reason that is null', { otherReasons: 'null' }],
    ['row 13: endpoints with only id', { endpointIdentifier: 'id', endpointFields: 'required' }],
    ['row 14: no endpoint operation except creation', { endpointOperations: 'creation' }],
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
    ['row 28: an event announces gained access', { accessGained: 'announced' }],
    ['row 28: gained access raises the revision', { accessGained: 'revised' }],
    ['row 29: events in any order', { eventOrder: 'any' }],
    ['row 31: events with only the required fields', { eventFields: 'required' }],
    ['row 31: events whose other fields are null', { eventFields: 'null' }],
    ['row 31: events whose other fields have other types', { eventFields: 'mistyped' }],
    ['row 39: resources whose optional fields have other types', { optionalFields: 'mistyped' }],
    ['row 38: deletions without a revision', { deletionRevision: 'absent' }],
    ['row 38: deletions whose revision is a string', { deletionRevision: 'string' }],
    ['rows 31 and 38: deletions with only note_id', { eventFields: 'required', deletionRevision: 'absent' }],
  ]

const rows = VARIANTS.map(([row, contract, clientOptions]) => ({ row, contract, clientOptions }))

describe.each(rows)('$row', ({ contract, clientOptions }) => {
  it('the copy of handlers that read each note agrees with the service', async () => {
    await using service = await createNotesService({ contract, disorder: { duplicated: 0.5, failing: 0.2 } })
    const client = clientOf(service, clientOptions)
    const copy = await aCopy(service, client)
    await service.clock.advance('30s')
    changeNotes(service)
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

  it('the client lists every change (§1)', async () => {
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

describe('row 8: a service that cannot read one note', () => {
  it('is read from its list, and the client says so', async () => {
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

describe('a mirror that only events keep up to date', () => {
  it.each<ContractVariants>([
    { noteOperation: 'live_notes' },
    { noteOperation: 'absent' },
    { transcriptNotReady: 'not_found', summaryNotReady: 'not_found', errorBody: 'empty' },
    { eventFields: 'required' },
    { eventFields: 'null' },
    { eventFields: 'mistyped' },
    { optionalFields: 'mistyped' },
    { deletionRevision: 'absent' },
    { deletionRevision: 'string', eventFields: 'required' },
  ])('agrees with the service under %j', async (contract) => {
    await using service = await createNotesService({ contract })
    const client = clientOf(service)
    const mirror = createMirror({ client, store: memoryMirror({ clock: service.clock }) })
    await mirror.sync()
    await service.connect((secret) => mirror.receiver({ secret, clock: service.clock, logger: quiet }).fetch)
    changeNotes(service)
    // The mirror may read a note again when the lag of the service is over.
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

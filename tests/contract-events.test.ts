import { createMirror } from '@notewire/mirror'
import { createNotesService } from '@notewire/mock-server'
import {
  type Drift,
  ENDPOINT_EVENT_KINDS,
  NOTE_EVENT_KINDS,
  type NoteEvent,
  systemClock,
  type WebhookEvent,
} from '@notewire/protocol'
import { createReceiver, queuedEvent } from '@notewire/webhooks'
import { signAttempt } from '@notewire/webhooks/testing'
import { describe, expect, it } from 'vitest'
import { memoryMirror } from '../packages/mirror/fixtures/memory-mirror/memory-mirror.ts'
import { aCopy, clientOf, quiet } from './contract-variants/service.ts'

const secret = 'whsec_c2VjcmV0LW9mLXRoaXMtdGVzdC1hbmQtbm8tb3RoZXI'

describe('row 31: the fields of an event', () => {
  const KINDS = [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS, 'note.merged'] as const

  /** Delivers an event to a receiver and a mirror. Returns their answers, the event that the handler gets, and the reported drift. */
  async function deliver(body: object | string) {
    const handled: WebhookEvent[] = []
    const drifts: string[] = []
    const handler = (event: WebhookEvent) => void handled.push(event)
    const on = Object.fromEntries([...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS].map((kind) => [kind, handler]))
    const hooks = { onDrift: ({ path, found }: Drift) => void drifts.push(`${path}: ${found}`) }
    const receiver = createReceiver({ secret, on, onUnknown: handler, hooks, logger: quiet })
    const { headers, body: bytes } = await signAttempt(secret, body)
    const request = () => new Request('https://receiver.test/', { method: 'POST', headers, body: bytes })
    const { status } = await receiver.fetch(request())

    await using service = await createNotesService()
    const mirror = createMirror({ client: clientOf(service), store: memoryMirror({ clock: service.clock }) })
    const mirrorResponse = await mirror.receiver({ secret, clock: systemClock, logger: quiet }).fetch(request())
    return { status, mirror: mirrorResponse.status, event: handled[0], drifts }
  }

  const minimalEvent = (kind: string) => ({
    event_id: 'event_1',
    event_type: kind,
    data: kind.startsWith('note.') ? { note_id: 'note_1', revision: 3 } : {},
  })

  it.each(KINDS)('%s needs only its ids, its kind and its revision (row 31)', async (kind) => {
    const { status, mirror, event, drifts } = await deliver(minimalEvent(kind))
    expect([status, mirror]).toEqual([204, 204])
    expect(event).toEqual(minimalEvent(kind))
    expect(drifts).toEqual([
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
  ])('%s reaches the handler without %s if the field has a wrong type (row 31)', async (kind, path) => {
    for (const wrong of [7, ['a'], true]) {
      const event = { ...minimalEvent(kind), occurred_at: '2026-01-01T09:00:00Z' }
      const body = path.startsWith('data.')
        ? { ...event, data: { ...event.data, [path.slice(5)]: wrong } }
        : { ...event, [path]: wrong }
      const { status, mirror, event: handled, drifts } = await deliver(body)
      expect([status, mirror]).toEqual([204, 204])
      expect(handled).not.toHaveProperty(path, wrong)
      expect(drifts).toContain(`${path}: ${Array.isArray(wrong) ? 'array' : typeof wrong}`)
    }
  })

  const unusable = ['', 7, null, 'a\0', '\ud83d', 'x'.repeat(513), 'x'.repeat(20_000)]

  it.each(KINDS)('%s is malformed without an event_id that every store accepts', async (kind) => {
    for (const event_id of unusable) {
      const { status, mirror, event } = await deliver({ ...minimalEvent(kind), event_id })
      expect([status, mirror, event]).toEqual([400, 400, undefined])
    }
  })

  it.each(NOTE_EVENT_KINDS)(
    '%s is malformed without a note_id that every store accepts; only a deletion may lack a revision (rows 31 and 38)',
    async (kind) => {
      for (const note_id of unusable) {
        const { status, mirror } = await deliver({ ...minimalEvent(kind), data: { note_id, revision: 3 } })
        expect([status, mirror]).toEqual([400, 400])
      }
      for (const revision of [undefined, null, '3', 1.5, -1, 2 ** 53]) {
        const { status, mirror } = await deliver({ ...minimalEvent(kind), data: { note_id: 'note_1', revision } })
        expect([status, mirror]).toEqual(kind === 'note.deleted' ? [204, 204] : [400, 400])
      }
    },
  )

  it.each(NOTE_EVENT_KINDS)('%s never has a revision that would be rounded (rows 31 and 38)', async (kind) => {
    for (const revision of ['9007199254740992', '9007199254740993', '1e400']) {
      const body = JSON.stringify(minimalEvent(kind)).replace('"revision":3', `"revision":${revision}`)
      const { status, mirror, event } = await deliver(body)
      expect([status, mirror]).toEqual(kind === 'note.deleted' ? [204, 204] : [400, 400])
      expect(event?.data).toEqual(kind === 'note.deleted' ? { note_id: 'note_1' } : undefined)
      expect(() =>
        queuedEvent({ integration: 'acme', event: { ...JSON.parse(body), event_type: 'note.ended' } }),
      ).toThrow(/"data\.revision" should be a whole number from 0 to 9007199254740991/)
    }
  })

  it.each(NOTE_EVENT_KINDS)(
    '%s reaches the handler without a recording session id that stores do not accept',
    async (kind) => {
      for (const session of unusable.filter((value) => value !== null)) {
        const { data, ...event } = minimalEvent(kind)
        const { status, event: handled } = await deliver({ ...event, data: { ...data, recording_session_id: session } })
        expect(status).toBe(204)
        expect(handled?.data).toEqual(data)
      }
    },
  )
})

describe('row 32: a note that is lost and regained at one revision', () => {
  it('is removed at each loss, and read again when the service announces its return (row 32)', async () => {
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
  const AT = '2026-01-01T09:00:00Z'
  const LATER = '2026-01-01T09:00:01Z'

  const anEvent = (event_id: string, event_type: string, occurred_at?: string) => ({
    event_id,
    event_type,
    occurred_at,
    data: { note_id: 'note_1', revision: 3 },
  })

  /** Delivers events in order. Returns the ids of those that the receiver applies. */
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
    ['occurred at the same time', AT],
    ['occurred earlier', '2026-01-01T08:59:59Z'],
    ['have no occurred_at', undefined],
    ['have an unreadable occurred_at', 'yesterday'],
  ])('are ignored after a deletion if they %s', async (_, occurredAt) => {
    expect(await applied([deleted, anEvent('late', 'note.updated', occurredAt)])).toEqual(['deleted'])
  })

  it('pass after a deletion if they occurred later, and then a second deletion passes', async () => {
    const lost = anEvent('lost', 'note.deleted', '2026-01-01T09:00:02Z')
    expect(await applied([updated, deleted, back, lost])).toEqual(['updated', 'deleted', 'back', 'lost'])
  })

  it('are applied once each, however often they arrive', async () => {
    expect(await applied([updated, deleted, deleted, back, deleted, updated, back])).toEqual([
      'updated',
      'deleted',
      'back',
    ])
  })

  it('are all ignored by the strict gate', async () => {
    expect(await applied([updated, deleted, back], 'strict')).toEqual(['updated'])
  })
})

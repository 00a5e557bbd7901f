import { MAX_DELIVERY_ATTEMPTS, RETRY_SPAN_MS } from '@notewire/protocol'
import { readEvent } from '@notewire/protocol/schemas'
import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { anInbox, never, type Received, toNotes } from '../../fixtures/inbox.ts'
import { verified } from '../../fixtures/verified.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import type { Attempt } from './attempt.ts'

const attemptsAtNotes = (service: NotesService) =>
  service.attempts.filter(({ event_type }) => event_type.startsWith('note.'))

describe('a delivery', () => {
  it('is a POST of JSON with a signature that the library of the specification verifies (§1, §4, §5)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    await service.connect(inbox.open)
    await service.clock.advance('1h')
    service.owner.record({ title: 'Überprüfung' }).end()
    await service.settled()
    expect(inbox.kinds).toEqual(['note.ended', 'note.summary.generated'])
    for (const [index, received] of inbox.received.entries()) {
      const { at } = service.attempts[index] as Attempt
      expect(received.headers['content-type']).toBe('application/json')
      expect(received.headers['webhook-timestamp']).toBe(String(Math.floor(at / 1000)))
      expect(verified(received, inbox.secret, at)).toEqual(JSON.parse(received.body))
      expect(() => verified({ ...received, body: `${received.body} ` }, inbox.secret, at)).toThrow()
      expect(readEvent(received.event)).toEqual(received.event)
    }
  })

  it('carries identifiers and statuses, and never content (§1)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    await service.connect(inbox.open)
    const note = service.owner
      .record({ title: 'SECRET', content: 'SECRET' })
      .end({ transcript: [{ text: 'SECRET' }], summary: 'SECRET' })
    await service.settled()
    note.edit({ title: 'SECRET, edited' })
    await service.settled()
    note.delete()
    await service.settled()
    expect(inbox.kinds).toEqual(['note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'])
    expect(JSON.stringify([inbox.received, service.attempts, service.deliveries])).not.toContain('SECRET')
  })

  it('is sent when its content can be read (§1, §6, row 29)', async () => {
    await using service = await createNotesService()
    const statuses: number[] = []
    const { note, end } = service.owner.record()
    await service.connect(() => async (request) => {
      const { event_type } = (await request.json()) as { readonly event_type: string }
      if (event_type === 'note.ended') {
        statuses.push((await call(service, `GET /v1/notes/${note.note_id}/transcript`)).status)
      }
      return new Response(null, { status: 204 })
    })
    end({ summary: false })
    await service.settled()
    expect(statuses).toEqual([200])
  })

  it('goes to every endpoint that subscribes to the kind: the same event, with another webhook-id for each (§2)', async () => {
    await using service = await createNotesService()
    const [all, some] = [anInbox(), anInbox()]
    await service.connect(all.open)
    await service.connect(some.open, { events: ['note.summary.generated'] })
    service.owner.record().end()
    await service.settled()
    expect(all.kinds).toEqual(['note.ended', 'note.summary.generated'])
    expect(some.kinds).toEqual(['note.summary.generated'])
    expect(some.received.at(-1)?.event.event_id).toBe(all.received.at(-1)?.event.event_id)
    expect(some.received.at(-1)?.headers['webhook-id']).not.toBe(all.received.at(-1)?.headers['webhook-id'])
  })

  it('is dropped if its endpoint is not active (row 17)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox(() => 500)
    await service.connect(inbox.open)
    service.owner.record().end({ summary: false })
    inbox.answer = () => 204
    await service.settled()
    expect(inbox.kinds).toEqual([])
  })

  it('is lost when its retry is due while the endpoint is verified again', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    const { endpoint_id, url } = await service.connect(inbox.open)
    inbox.answer = () => 500
    service.owner.record().end({ summary: false })
    await service.clock.advance('10s')
    await call(service, `PATCH /v1/webhook-endpoints/${endpoint_id}`, { body: { url } })
    await service.clock.advance('25s')
    inbox.answer = () => 204
    await service.settled()
    expect(inbox.kinds).toEqual(['note.ended'])
    expect(service.deliveries.find(({ event_type }) => event_type === 'note.ended')).toMatchObject({ status: 'lost' })
  })
})

describe('a delivery that fails', () => {
  it('is retried 30 s, 5 min, 30 min, 2 h, 12 h and 12 h after each failure, then given up (§3, §8)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox(toNotes(() => 500))
    await service.connect(inbox.open)
    service.owner.record().end({ summary: false })
    await service.settled()
    const attempts = attemptsAtNotes(service)
    expect(attempts).toHaveLength(MAX_DELIVERY_ATTEMPTS)
    expect(secondsBetween(attempts)).toEqual([30, 300, 1800, 7200, 43_200, 43_200])
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(service.deliveries.at(-1)).toMatchObject({ status: 'given_up', attempts: 7 })
    await service.clock.advance('100h')
    expect(attemptsAtNotes(service)).toHaveLength(MAX_DELIVERY_ATTEMPTS)
  })

  it('has the same webhook-id and body in every attempt, and a new signature (§6, row 19)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox(toNotes(() => 500))
    await service.connect(inbox.open)
    service.owner.record().end({ summary: false })
    await service.settled()
    const [, ...received] = inbox.received
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(received.map(({ headers }) => headers['webhook-signature'])).size).toBe(MAX_DELIVERY_ATTEMPTS)
    for (const [index, attempt] of attemptsAtNotes(service).entries()) {
      expect(() => verified(received[index] as Received, inbox.secret, attempt.at)).not.toThrow()
    }
  })

  it('is not retried after the first 2xx (§7)', async () => {
    await using service = await createNotesService()
    const answers = [500, 302, 400, 299]
    const inbox = anInbox(toNotes(() => answers.shift() ?? 500))
    await service.connect(inbox.open)
    service.owner.record().end({ summary: false })
    await service.settled()
    expect(attemptsAtNotes(service).map(({ outcome }) => outcome)).toEqual(
      [500, 302, 400, 299].map((status) => ({ kind: 'answered', status })),
    )
    expect(service.deliveries.at(-1)).toMatchObject({ status: 'delivered', attempts: 4 })
  })

  it.each([200, 204, 299])('is not retried after %i (§3)', async (status) => {
    await using service = await createNotesService()
    await service.connect(anInbox(() => status).open)
    service.owner.record().end({ summary: false })
    await service.settled()
    expect(attemptsAtNotes(service)).toHaveLength(1)
  })

  it('logs the name and the message of an error that the receiver throws', async () => {
    await using service = await createNotesService()
    const inbox = anInbox(
      toNotes(() => {
        throw new RangeError('the index is full')
      }),
    )
    await service.connect(inbox.open)
    service.owner.record().end({ summary: false })
    await service.clock.advance(0)
    expect(service.attempts.at(-1)?.outcome).toEqual({
      kind: 'connection_failed',
      reason: 'RangeError',
      message: 'the index is full',
    })
  })
})

describe('a delivery without an answer', { concurrent: true }, () => {
  it('fails after 10 seconds, and is retried 30 s after that (§3, §7)', async ({ expect }) => {
    await using service = await createNotesService()
    const answers = [never, () => 204]
    const inbox = anInbox(toNotes(() => (answers.shift() ?? never)()))
    await service.connect(inbox.open)
    service.owner.record().end({ summary: false })
    await service.settled()
    const [first, second] = attemptsAtNotes(service)
    expect(first).toMatchObject({ outcome: { kind: 'timed_out' }, duration_ms: 10_000 })
    expect(second?.at).toBe((first?.at ?? 0) + 40_000)
  })

  it('is given up after 26 h 36 min 40 s (§8)', async ({ expect }) => {
    await using service = await createNotesService()
    const inbox = anInbox(toNotes(never))
    await service.connect(inbox.open)
    const beganAt = service.clock.now()
    service.owner.record().end({ summary: false })
    await service.settled()
    expect(service.clock.now() - beganAt).toBe(RETRY_SPAN_MS)
    expect(RETRY_SPAN_MS).toBe(((26 * 60 + 36) * 60 + 40) * 1000)
    expect(attemptsAtNotes(service).map(({ outcome }) => outcome.kind)).toEqual(Array(7).fill('timed_out'))
    expect(service.deliveries.at(-1)?.status).toBe('given_up')
  })

  it('aborts the request (§8)', async ({ expect }) => {
    await using service = await createNotesService()
    let isAborted = false
    await service.connect(() => (request) => {
      request.signal.addEventListener('abort', () => {
        isAborted = true
      })
      return never()
    })
    expect(isAborted).toBe(true)
    expect(service.attempts[0]?.outcome).toEqual({ kind: 'timed_out' })
  })

  it('has failed even if the receiver answers later, when the receiver sleeps on the same clock', async ({
    expect,
  }) => {
    await using service = await createNotesService()
    const sleeps = [9999, 10_000]
    const inbox = anInbox(
      toNotes(async () => {
        await service.clock.sleep(sleeps.shift() ?? 0)
        return 204
      }),
    )
    await service.connect(inbox.open)
    service.owner.record().end({ summary: false })
    service.owner.record().end({ summary: false })
    await service.clock.advance('20s')
    expect(attemptsAtNotes(service).map(({ outcome, duration_ms }) => [outcome.kind, duration_ms])).toEqual([
      ['answered', 9999],
      ['timed_out', 10_000],
    ])
  })
})

function secondsBetween(attempts: readonly Attempt[]): readonly number[] {
  return attempts.slice(1).map(({ at }, index) => (at - (attempts[index]?.at ?? 0)) / 1000)
}

import { describe, expect, it } from 'vitest'
import { anInbox, never, toNotes } from '../../fixtures/inbox.ts'
import { createNotesService } from '../service/create-notes-service.ts'

describe('the log of attempts', () => {
  it('contains the request and the answer of each attempt, with headers and times', async () => {
    await using service = await createNotesService()
    const inbox = anInbox(toNotes(() => new Response('no room', { status: 507, headers: { 'x-why': 'full' } })))
    const { url, endpoint_id } = await service.connect(inbox.open)
    service.owner.record().end({ summary: false })
    await service.clock.advance('1s')
    const received = inbox.received.at(-1)
    expect(service.attempts.at(-1)).toEqual({
      delivery_id: expect.stringMatching(/^dlv_/),
      event_id: received?.event.event_id,
      webhook_id: received?.headers['webhook-id'],
      endpoint_id,
      event_type: 'note.ended',
      attempt: 1,
      duplicate: false,
      at: Date.UTC(2026, 0, 1),
      duration_ms: 0,
      url,
      headers: received?.headers,
      body: received?.body,
      faults: [],
      outcome: { kind: 'answered', status: 507 },
      response: {
        headers: { 'content-type': 'text/plain;charset=UTF-8', 'x-why': 'full' },
        body: 'no room',
        truncated: false,
      },
    })
  })

  it('contains the first 4 KiB of an answer, and does not wait for the rest', async () => {
    await using service = await createNotesService()
    const answers = ['a'.repeat(4096), 'a'.repeat(4097), endless()]
    await service.connect(anInbox(toNotes(() => new Response(answers.shift()))).open)
    for (let note = 0; note < 3; note++) service.owner.record().end({ summary: false })
    await service.settled()
    const responses = service.attempts.slice(1).map(({ response }) => [response?.body.length, response?.truncated])
    expect(responses).toEqual([
      [4096, false],
      [4096, true],
      [4096, true],
    ])
  })

  it('contains what arrives within 10 s of an answer whose body never ends', async () => {
    await using service = await createNotesService()
    const hanging = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('so far')) })
    await service.connect(anInbox(toNotes(() => new Response(hanging))).open)
    service.owner.record().end({ summary: false })
    await service.settled()
    expect(service.attempts.at(-1)).toMatchObject({
      outcome: { kind: 'answered', status: 200 },
      duration_ms: 10_000,
      response: { body: 'so far', truncated: true },
    })
  })

  it('contains an attempt in flight', async () => {
    await using service = await createNotesService()
    await service.connect(anInbox(toNotes(never)).open)
    service.owner.record().end({ summary: false })
    await service.clock.advance(0)
    expect(service.attempts.at(-1)).toMatchObject({ outcome: { kind: 'in_flight' }, response: undefined })
  })
})

describe('parallel delivery', () => {
  it('sends an event before an earlier one was answered (§6)', async () => {
    await using service = await createNotesService()
    const handled: string[] = []
    const slow = Promise.withResolvers<void>()
    const inbox = anInbox(
      toNotes(async ({ event }) => {
        if (event.event_type === 'note.ended') await slow.promise
        handled.push(event.event_type)
        slow.resolve()
        return 204
      }),
    )
    await service.connect(inbox.open)
    const note = service.owner.record().end({ summary: false })
    note.delete()
    await service.settled()
    expect(inbox.kinds).toEqual(['note.ended', 'note.deleted'])
    expect(handled).toEqual(['note.deleted', 'note.ended'])
  })
})

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (stream) => stream.enqueue(new TextEncoder().encode('a'.repeat(1000))) })
}

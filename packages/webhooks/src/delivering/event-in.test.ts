import { createHmac } from 'node:crypto'
import type { WebhookEvent } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { storeWith } from '../../fixtures/store-with.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent, anUnknownEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'

describe('a signed body that is no event', () => {
  it.each([
    ['', /not JSON/],
    ['null', /should be object/],
    ['[]', /should be object/],
    ['"note.ended"', /should be object/],
    ['{}', /event_id.*should be string/],
    [
      '{"event_id":"evt_1","event_type":"note.ended","occurred_at":"2026-01-01T00:00:00Z","data":{}}',
      /data\.note_id.*should be string/,
    ],
    ['\u0000', /not JSON/],
    ['['.repeat(100_000), /not JSON/],
  ])('is answered 400: %.40s', async (body, problem) => {
    const { deliver, logger } = setUpReceiver()
    expect((await deliver(body)).status).toBe(400)
    expect(logger.lines.join()).toMatch(problem)
  })

  it('quotes nothing of the body in the log', async () => {
    const { deliver, logger } = setUpReceiver()
    await deliver('{"event_id": Salaries 2026')
    await deliver({ ...anEvent({ kind: 'note.ended' }), event_id: 7, title: 'Salaries 2026' })
    expect(logger.lines).toHaveLength(2)
    expect(logger.lines.join()).not.toContain('Salaries')
  })

  it('has no outcome', async () => {
    const { deliver, outcomes } = setUpReceiver()
    await deliver('{}')
    expect(outcomes).toEqual([])
  })

  it('is answered 400 when it is not UTF-8', async () => {
    const { clock, receiver } = setUpReceiver()
    const bytes = Buffer.from('{"event_id":"\xff"}', 'latin1')
    const { headers } = await signAttempt(TEST_SECRET, 'x', { webhookId: 'msg_1', signedAt: clock.now() })
    const key = 'a secret that is only for testing'
    const hmac = createHmac('sha256', key).update(`msg_1.${headers['webhook-timestamp']}.`).update(bytes)
    const signed = { ...headers, 'webhook-signature': `v1,${hmac.digest('base64')}` }
    const request = new Request('https://receiver.test/', { method: 'POST', headers: signed, body: bytes })
    expect((await receiver.fetch(request)).status).toBe(400)
  })
})

describe('an event that differs from the contract where it need not agree', () => {
  const withoutTime = () => {
    const { occurred_at: _, ...event } = anEvent({ kind: 'note.ended' })
    return event
  }

  it('is handled without the field', async () => {
    const seen: unknown[] = []
    const { deliver } = setUpReceiver({ on: { 'note.ended': (event) => void seen.push(event) } })
    const event = withoutTime()
    const { recording_session_id: _, ...data } = event.data
    expect((await deliver({ ...event, data: { ...data, recording_session_id: 7 } })).status).toBe(204)
    expect(seen).toEqual([{ ...event, data }])
  })

  it('is told to the log and to a hook, without what was found', async () => {
    const told: unknown[] = []
    const { deliver, logger } = setUpReceiver({
      hooks: { onDrift: (drift, { event_id }) => told.push([drift, event_id]) },
    })
    const event = withoutTime()
    await deliver({ ...event, data: { ...event.data, recording_session_id: ['Salaries 2026'] } })
    expect(told).toEqual([
      [{ path: 'occurred_at', expected: 'string', found: 'nothing' }, event.event_id],
      [{ path: 'data.recording_session_id', expected: 'string', found: 'array' }, event.event_id],
    ])
    expect(logger.lines).toHaveLength(2)
    expect(logger.lines.join()).toMatch(/^warn a signed event differs from the contract.*"path":"occurred_at"/)
    expect(logger.lines.join()).not.toContain('Salaries')
  })

  it('is told once an hour for each kind of event, field and type found (row 31)', async () => {
    const { clock, deliver, logger } = setUpReceiver()
    const told = async (event: object) => {
      const before = logger.lines.length
      await deliver({ ...event, event_id: crypto.randomUUID() })
      return logger.lines.length - before
    }
    const { occurred_at: _, ...updated } = anEvent({ kind: 'note.updated' })
    expect(await told(withoutTime())).toBe(1)
    expect(await told(withoutTime())).toBe(0)
    expect(await told(updated)).toBe(1)
    expect(await told({ ...withoutTime(), occurred_at: 7 })).toBe(1)
    await clock.advance(3_599_999)
    expect(await told(withoutTime())).toBe(0)
    await clock.advance(1)
    expect(await told(withoutTime())).toBe(1)
  })

  it('is told once an hour for all unknown kinds together', async () => {
    const { deliver, logger } = setUpReceiver()
    for (const kind of ['a', 'b', 'c']) await deliver({ event_id: `event_${kind}`, event_type: `note.${kind}` })
    expect(logger.lines).toHaveLength(1)
  })
})

describe('an identifier that a store cannot hold', () => {
  const unusable = ['', 'a\0', '\ud83d', 'x'.repeat(513), 'x'.repeat(20_000)]

  it.each(unusable)('is answered 400 and reaches no store: %.10j', async (id) => {
    const store = storeWith(memoryStore(), { claim: () => Promise.reject(new Error('the store cannot hold it')) })
    const { deliver, logger } = setUpReceiver({ store, on: { 'note.ended': () => undefined } })
    const event = anEvent({ kind: 'note.ended' })
    expect((await deliver({ ...event, event_id: id })).status).toBe(400)
    expect((await deliver({ ...event, data: { ...event.data, note_id: id } })).status).toBe(400)
    expect(logger.lines.join()).toMatch(/"event_id\\" should be.*"data.note_id\\" should be/)
  })

  it.each(unusable)('makes an event malformed that is given to `process`: %.10j', async (id) => {
    const { receiver, logger, outcomes } = setUpReceiver({ on: { 'note.ended': () => undefined } })
    const event = anEvent({ kind: 'note.ended', eventId: id })
    expect(await receiver.process(event)).toEqual({
      status: 'malformed',
      event,
      problem: expect.stringContaining('"event_id" should be a string of 1 to 512 UTF-16 code units'),
    })
    expect(logger.lines.join()).toContain('malformed')
    expect(outcomes).toEqual([])
  })

  it('is left out of a session, and of the note of an unknown kind, that are given to `process`', async () => {
    const handed: WebhookEvent[] = []
    const hand = (event: WebhookEvent) => void handed.push(event)
    const { receiver } = setUpReceiver({ on: { 'note.ended': hand }, onUnknown: hand })
    await receiver.process(anEvent({ kind: 'note.ended', recordingSessionId: 'a\0' }))
    await receiver.process(anUnknownEvent({ noteId: 'a\0' }))
    expect(handed[0]?.data).not.toHaveProperty('recording_session_id')
    expect(handed[1]?.data).toEqual({})
  })

  it.each([null, undefined, 7, {}, []])(
    'is no reason for `process` to reject, nor is what is no event: %j',
    async (value) => {
      const { receiver } = setUpReceiver()
      expect(await receiver.process(value as unknown as WebhookEvent)).toMatchObject({ status: 'malformed' })
    },
  )

  it.each(unusable)('is unknown to `forget`: %.10j', async (id) => {
    const store = storeWith(memoryStore(), { forget: () => Promise.reject(new Error('the store cannot hold it')) })
    const { receiver } = setUpReceiver({ store })
    expect(await receiver.forget(id)).toBe('unknown')
  })

  it.each([...unusable, 'x'.repeat(129), '..', 'a/b', '%2e', 'ä', 'a b'])(
    'is refused as an integration: %.10j',
    (integration) => {
      expect(() => setUpReceiver({ integration })).toThrow(/integration must be 1 to 128 of the characters/)
    },
  )

  it('is none of the longest that are allowed', async () => {
    const { deliver, receiver } = setUpReceiver({ integration: 'x'.repeat(128), on: { 'note.ended': () => undefined } })
    const id = '\u4e00'.repeat(512)
    const event = anEvent({ kind: 'note.ended', eventId: id, noteId: id, recordingSessionId: id })
    expect((await deliver(event)).status).toBe(204)
    expect(await receiver.forget(id)).toBe('forgotten')
  })
})

describe('a second loss of access at one revision', () => {
  it('reaches the handler, and so does what happens after each (row 32)', async () => {
    const handed: string[] = []
    const hand = ({ event_id }: WebhookEvent) => void handed.push(event_id)
    const { deliver } = setUpReceiver({ on: { 'note.updated': hand, 'note.deleted': hand } })
    const at = (kind: 'note.updated' | 'note.deleted', minute: number) => ({
      ...anEvent({ kind, eventId: `${kind} ${minute}`, revision: 5 }),
      occurred_at: `2026-01-01T09:0${minute}:00Z`,
    })
    const events = [at('note.deleted', 1), at('note.updated', 2), at('note.updated', 3), at('note.deleted', 4)]
    for (const event of [...events, ...events, at('note.updated', 0)]) expect((await deliver(event)).status).toBe(204)
    expect(handed).toEqual(['note.deleted 1', 'note.updated 2', 'note.deleted 4'])
  })

  it('is not undone by an event whose time cannot be read', async () => {
    const handed: string[] = []
    const hand = ({ event_type }: WebhookEvent) => void handed.push(event_type)
    const { deliver } = setUpReceiver({ on: { 'note.updated': hand, 'note.deleted': hand } })
    await deliver(anEvent({ kind: 'note.deleted' }))
    for (const occurred_at of [undefined, 7, 'tomorrow', '2126-01-01T09:00:00']) {
      await deliver({ ...anEvent({ kind: 'note.updated' }), occurred_at })
    }
    expect(handed).toEqual(['note.deleted'])
  })
})

describe('an event with unknown fields', () => {
  it.each(['malformed', 'status', 'problem', 'event'])('is an event all the same: %s', async (field) => {
    const seen: unknown[] = []
    const { deliver } = setUpReceiver({ on: { 'note.ended': (event) => void seen.push(event) } })
    const event = { ...anEvent({ kind: 'note.ended' }), [field]: 'whatever' }
    expect((await deliver(event)).status).toBe(204)
    expect(seen).toEqual([event])
  })
})

describe('a signed body that nests a hundred thousand arrays', () => {
  const nested = '['.repeat(100_000) + ']'.repeat(100_000)
  const text = JSON.stringify({ ...anEvent({ kind: 'note.ended' }), field: 'nest' }).replace('"nest"', nested)

  it('is answered 400 where it is no event', async () => {
    expect((await setUpReceiver().deliver(nested)).status).toBe(400)
  })

  it('is applied where it is an event with such a field', async () => {
    const { deliver, outcomes } = setUpReceiver({ on: { 'note.ended': () => undefined } })
    expect((await deliver(text)).status).toBe(204)
    expect(outcomes).toMatchObject([{ status: 'applied' }])
  })

  it('is answered 503 where a queue cannot serialise it, and the next event is queued', async () => {
    const queued: string[] = []
    const queue = async (event: object) => void queued.push(JSON.stringify(event))
    const { deliver } = setUpReceiver({ queue })
    expect((await deliver(text)).status).toBe(503)
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    expect(queued).toHaveLength(1)
  })
})

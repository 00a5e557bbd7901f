import { ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS, readEvent } from '@notewire/protocol'
import { eventSchemas, noteSchema } from '@notewire/protocol/schemas'
import { describe, expect, it } from 'vitest'
import { verified } from '../fixtures/verified.ts'
import { aNote } from './a-note.ts'
import { anEvent } from './an-event.ts'
import { signedAttempt } from './signed-attempt.ts'

const SECRET = `whsec_${Buffer.from('the secret of this test, which nobody else has').toString('base64url')}`

describe('an attempt made by hand', () => {
  it('is signed as the library of the specification verifies it, at the time that is asked for', async () => {
    const event = anEvent('note.updated', { note_id: 'note_1', revision: 7 })
    const at = Date.UTC(2026, 0, 1)
    const request = signedAttempt({ secret: SECRET, event, at, webhookId: 'msg_1' })
    const headers = Object.fromEntries(request.headers)
    const received = { url: request.url, headers, body: await request.text(), event }
    expect(headers).toMatchObject({ 'webhook-id': 'msg_1', 'webhook-timestamp': '1767225600' })
    expect(verified(received, SECRET, at)).toEqual(event)
    expect(() => verified({ ...received, body: `${received.body} ` }, SECRET, at)).toThrow()
  })

  it("is stamped with the machine's time, unless another is asked for", () => {
    const { headers } = signedAttempt({ secret: SECRET, event: anEvent('endpoint.test') })
    expect(Math.abs(Number(headers.get('webhook-timestamp')) - Date.now() / 1000)).toBeLessThan(5)
  })

  it('carries any text as it stands', async () => {
    expect(await signedAttempt({ secret: SECRET, event: '{ not json' }).text()).toBe('{ not json')
  })
})

describe('an event made by hand', () => {
  it.each([...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS])('is complete: %s', (kind) => {
    const event = anEvent(kind)
    expect(readEvent(event)).toEqual(event)
    expect(eventSchemas[kind].parse(event)).toEqual(event)
    expect(anEvent(kind).event_id).not.toBe(event.event_id)
  })

  it('says what the test cares for', () => {
    const event = anEvent('note.deleted', { note_id: 'note_1', reason: 'access_lost' }, { event_id: 'evt_1' })
    expect(event).toMatchObject({ event_id: 'evt_1', data: { note_id: 'note_1', reason: 'access_lost' } })
  })
})

describe('a note made by hand', () => {
  it('is complete, with the fields that the test cares for', () => {
    expect(noteSchema.parse(aNote({ title: 'Mine' }))).toEqual(aNote({ title: 'Mine' }))
  })
})

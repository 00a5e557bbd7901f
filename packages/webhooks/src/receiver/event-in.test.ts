import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { TEST_SECRET } from '../fixtures/secrets.ts'
import { setUpReceiver } from '../fixtures/set-up-receiver.ts'
import { anEvent } from '../testing/an-event.ts'
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

describe('an event with fields that nobody knows', () => {
  it.each(['malformed', 'status', 'problem', 'event'])('is an event all the same: %s', async (field) => {
    const seen: unknown[] = []
    const { deliver } = setUpReceiver({ on: { 'note.ended': (event) => void seen.push(event) } })
    const event = { ...anEvent({ kind: 'note.ended' }), [field]: 'whatever' }
    expect((await deliver(event)).status).toBe(204)
    expect(seen).toEqual([event])
  })
})

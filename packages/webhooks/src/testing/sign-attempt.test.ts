import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished, vi } from 'vitest'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { anEvent } from './an-event.ts'
import { signAttempt } from './sign-attempt.ts'

const library = new Webhook(Buffer.from(TEST_SECRET.slice('whsec_'.length), 'base64url'), { format: 'raw' })

it('creates a signature at the given time that the library of Standard Webhooks verifies', async () => {
  const signedAt = Date.UTC(2026, 0, 1)
  vi.useFakeTimers({ toFake: ['Date'], now: signedAt })
  onTestFinished(() => void vi.useRealTimers())
  const event = anEvent({ kind: 'note.updated', noteId: 'nöte_1' })
  const { headers, body } = await signAttempt(TEST_SECRET, event, { webhookId: 'msg_1', signedAt })
  expect(headers).toMatchObject({ 'webhook-id': 'msg_1', 'webhook-timestamp': '1767225600' })
  expect(library.verify(body, headers)).toEqual(event)
  expect(() => library.verify(`${body} `, headers)).toThrow()
})

it('signs now and with a new id by default', async () => {
  const [first, second] = [await signAttempt(TEST_SECRET, '{}'), await signAttempt(TEST_SECRET, '{}')]
  expect(Math.abs(Number(first.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
  expect(first.headers['webhook-id']).not.toBe(second.headers['webhook-id'])
})

it('does not change a body that is a string', async () => {
  expect((await signAttempt(TEST_SECRET, '{ not json')).body).toBe('{ not json')
})

it('refuses an unknown trait, such as a timestamp', async () => {
  const traits = { timestamp: 1_700_000_000 } as object
  await expect(signAttempt(TEST_SECRET, {}, traits)).rejects.toThrow(/signAttempt has no option "timestamp"/)
})

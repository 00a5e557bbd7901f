import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'

const clock = new ManualClock()

async function aDelivery(headers: Readonly<Record<string, string>> = {}, url = 'https://receiver.test/hooks') {
  const attempt = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }), { signedAt: clock.now() })
  return new Request(url, { method: 'POST', body: attempt.body, headers: { ...attempt.headers, ...headers } })
}

describe('a path, when one is given', () => {
  it.each([
    ['/webhooks/notes', 204],
    ['/webhooks/notes?from=somewhere', 204],
    ['/webhooks/notes/', 404],
    ['/', 404],
  ])('is the only one answered: %s gets %i (§7)', async (path, status) => {
    const { receiver } = setUpReceiver({ path: '/webhooks/notes' })
    expect((await receiver.fetch(await aDelivery({}, `https://receiver.test${path}`))).status).toBe(status)
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('is answered 404 for %s (§7)', async (method) => {
    const { receiver } = setUpReceiver({ path: '/hooks' })
    expect((await receiver.fetch(new Request('https://receiver.test/hooks', { method }))).status).toBe(404)
  })
})

describe('a body that says how it is encoded', () => {
  it.each(['gzip', 'br', 'GZIP', 'identity, gzip'])('is refused with 415: %s', async (encoding) => {
    expect((await setUpReceiver().receiver.fetch(await aDelivery({ 'content-encoding': encoding }))).status).toBe(415)
  })

  it.each(['identity', 'Identity', ''])('is taken when that is not at all: %j', async (encoding) => {
    expect((await setUpReceiver().receiver.fetch(await aDelivery({ 'content-encoding': encoding }))).status).toBe(204)
  })
})

describe('a body that says how long it is', () => {
  const attemptOf = (length: string) => ({
    method: 'POST',
    path: '/',
    headers: { 'content-length': length },
    readBody: async () => ({ status: 'read', bytes: new Uint8Array() }) as const,
  })

  it.each([
    ['262144', 401],
    ['262145', 413],
    ['1e9', 413],
    ['whatever', 401],
  ])('is refused before it is read when that is above 256 KiB: %s gets %i (row 25)', async (length, status) => {
    expect((await setUpReceiver().receiver.respond(attemptOf(length))).status).toBe(status)
  })

  it('row 25: is refused above `maxBodyBytes`, where that is given', async () => {
    const { receiver } = setUpReceiver({ maxBodyBytes: 1_000 })
    expect((await receiver.respond(attemptOf('1000'))).status).toBe(401)
    expect((await receiver.respond(attemptOf('1001'))).status).toBe(413)
  })
})

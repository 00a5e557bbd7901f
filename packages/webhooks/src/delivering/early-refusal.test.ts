import { describe, expect, it } from 'vitest'
import { passingHeaders } from '../../fixtures/passing-headers.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import type { BodyReading } from './attempt.ts'

const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/** A receiver, and what it asked for to answer an attempt with some other headers. */
async function answerTo(change: (headers: Record<string, unknown>, nowSeconds: number) => void) {
  const asked: string[] = []
  const { clock, receiver, logger } = setUpReceiver({
    secret: () => {
      asked.push('secret')
      return TEST_SECRET
    },
  })
  const headers: Record<string, unknown> = { ...(await passingHeaders(clock.now())) }
  change(headers, Math.floor(clock.now() / 1000))
  const readBody = async (): Promise<BodyReading> => {
    asked.push('body')
    return { status: 'read', bytes: new Uint8Array() }
  }
  const { status } = await receiver.respond({
    method: 'POST',
    path: '/',
    headers: headers as Record<string, string>,
    readBody,
  })
  return { status, asked, sleeping: clock.sleeping, line: logger.lines.join() }
}

describe('a request that no secret can make genuine is refused before the secret is asked for and the body is read', () => {
  it.each(SIGNATURE_HEADERS)('without %s', async (name) => {
    const { status, asked, sleeping, line } = await answerTo((headers) => {
      delete headers[name]
    })
    expect({ status, asked, sleeping }).toEqual({ status: 401, asked: [], sleeping: 0 })
    expect(line).toMatch(new RegExp(`a delivery was refused .*missing-header.*${name}`))
  })

  it.each([
    [-301, 'timestamp-too-old'],
    [301, 'timestamp-too-new'],
  ])('with a timestamp %i s from now', async (seconds, reason) => {
    const { status, asked, line } = await answerTo((headers, now) => {
      headers['webhook-timestamp'] = String(now + seconds)
    })
    expect({ status, asked }).toEqual({ status: 401, asked: [] })
    expect(line).toContain(reason)
  })

  it('with a timestamp that is no digits, or with 33 signatures', async () => {
    for (const change of [{ 'webhook-timestamp': '1e9' }, { 'webhook-signature': 'v1,x '.repeat(33) }]) {
      const { status, asked } = await answerTo((headers) => Object.assign(headers, change))
      expect({ status, asked }).toEqual({ status: 401, asked: [] })
    }
  })

  it.each(
    SIGNATURE_HEADERS.flatMap((name) => [7, Number.NaN, true, {}, [7], [null]].map((value) => ({ name, value }))),
  )('with $value in the place of the text of $name', async ({ name, value }) => {
    const { status, asked, line } = await answerTo((headers) => {
      headers[name] = value
    })
    expect({ status, asked }).toEqual({ status: 401, asked: [] })
    expect(line).toMatch(/^warn a delivery was refused .*malformed-header.*is not a string but/)
  })

  it.each([-300, 300])('but not with a timestamp %i s from now', async (seconds) => {
    const { asked } = await answerTo((headers, now) => {
      headers['webhook-timestamp'] = String(now + seconds)
    })
    expect(asked).toEqual(['secret', 'body'])
  })
})

describe('a header that is not text', () => {
  it('is counted as its text where it tells the length, and is an unknown encoding', async () => {
    expect((await answerTo((headers) => Object.assign(headers, { 'content-length': 262_145 }))).status).toBe(413)
    expect((await answerTo((headers) => Object.assign(headers, { 'content-length': 262_144 }))).status).toBe(401)
    expect((await answerTo((headers) => Object.assign(headers, { 'content-encoding': 7 }))).status).toBe(415)
  })
})

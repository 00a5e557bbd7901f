import { createHmac } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { type AttemptHeaders, BodyNotRawError, createVerifier } from '../verify.ts'

const clock = new ManualClock()
const SECRET = secretOf('the first secret, 32 bytes long.')
const OTHER_SECRET = secretOf('the other secret, 32 bytes long.')
const verify = createVerifier({ secret: SECRET, clock })
const BODY = '{"event_id":"evt_1","event_type":"note.ended"}'

function secretOf(key: string): string {
  return `whsec_${Buffer.from(key).toString('base64url')}`
}

function sign(body: string, { secret = SECRET, offsetSeconds = 0, webhookId = 'msg_1' } = {}) {
  return signAttempt(secret, body, { webhookId, signedAt: clock.now() + offsetSeconds * 1000 })
}

async function verdict(body: Uint8Array | string, headers: AttemptHeaders): Promise<string> {
  const verification = await verify(body, headers)
  return verification.status === 'verified' ? 'verified' : verification.reason
}

describe('a delivery that the service signed', () => {
  it('is verified, and what it says of itself is returned', async () => {
    const { headers, body } = await sign(BODY)
    expect(await verify(body, headers)).toEqual({
      status: 'verified',
      webhookId: 'msg_1',
      timestamp: clock.now() / 1000,
      secretIndex: 0,
    })
  })

  it('is the one that the official library signs (§9)', async () => {
    const key = Buffer.from('the first secret, 32 bytes long.')
    const signature = new Webhook(key, { format: 'raw' }).sign('msg_1', new Date(clock.now()), BODY)
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(clock.now() / 1000),
      'webhook-signature': signature,
    }
    expect(await verdict(BODY, headers)).toBe('verified')
  })

  it('is verified from text, bytes and buffers alike', async () => {
    const { headers, body } = await sign('{"title":"Gespräch über 🎻"}')
    expect(await verdict(body, headers)).toBe('verified')
    expect(await verdict(new TextEncoder().encode(body), headers)).toBe('verified')
    expect(await verdict(Buffer.from(body), headers)).toBe('verified')
  })

  it('is verified with headers as Headers, as Node has them, and as an object in any case', async () => {
    const { headers, body } = await sign(BODY)
    const message = new IncomingMessage(new Socket())
    Object.assign(message.headers, headers)
    const shouting = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
    for (const each of [new Headers(headers), message.headers, shouting])
      expect(await verdict(body, each)).toBe('verified')
  })

  it('is verified when any of several entries matches (§5)', async () => {
    const { headers, body } = await sign(BODY)
    const entry = headers['webhook-signature'] ?? ''
    const decoy = `v1,${Buffer.alloc(32).toString('base64')}`
    for (const entries of [
      `${decoy} ${entry}`,
      `${entry} ${decoy}`,
      `v2,abc  ${entry} v1a,x`,
      `nonsense v1, ${entry}`,
    ]) {
      expect(await verdict(body, { ...headers, 'webhook-signature': entries })).toBe('verified')
    }
  })

  it('is verified under any secret of a rotation, and the result says which', async () => {
    const rotating = createVerifier({ secret: [OTHER_SECRET, SECRET], clock })
    const old = await sign(BODY)
    const young = await sign(BODY, { secret: OTHER_SECRET })
    expect(await rotating(old.body, old.headers)).toMatchObject({ status: 'verified', secretIndex: 1 })
    expect(await rotating(young.body, young.headers)).toMatchObject({ status: 'verified', secretIndex: 0 })
  })
})

describe('a delivery whose timestamp is off', () => {
  it.each([-300, -1, 0, 1, 300])('is accepted at %i s from now (§5, §8)', async (offsetSeconds) => {
    const { headers, body } = await sign(BODY, { offsetSeconds })
    expect(await verdict(body, headers)).toBe('verified')
  })

  it.each([
    [-301, 'timestamp-too-old'],
    [301, 'timestamp-too-new'],
  ])('is refused at %i s from now (§5)', async (offsetSeconds, reason) => {
    const { headers, body } = await sign(BODY, { offsetSeconds })
    expect(await verdict(body, headers)).toBe(reason)
  })

  it.each([
    [-300, 0, 'verified'],
    [-300, 1, 'timestamp-too-old'],
    [301, 1_000, 'verified'],
    [301, 999, 'timestamp-too-new'],
  ])('is judged in milliseconds: at %i s, when the clock is %i ms further', async (offsetSeconds, ms, expected) => {
    const { headers, body } = await sign(BODY, { offsetSeconds })
    const verify = createVerifier({ secret: SECRET, clock: new ManualClock(clock.now() + ms) })
    const verification = await verify(body, headers)
    expect(verification.status === 'verified' ? verification.status : verification.reason).toBe(expected)
  })

  it('is judged by the tolerance that is asked for, and told how far off it is', async () => {
    const strict = createVerifier({ secret: SECRET, clock, toleranceSeconds: 10 })
    const { headers, body } = await sign(BODY, { offsetSeconds: -11 })
    expect(await strict(body, headers)).toMatchObject({
      reason: 'timestamp-too-old',
      detail: expect.stringContaining('11 s behind'),
    })
  })

  it.each(['123junk', '1.7e9', '+1767258000', ' 1767258000', '0x1', '１７', '-5', '12e3'])(
    'is refused as malformed when it is %j',
    async (timestamp) => {
      const { headers, body } = await sign(BODY)
      expect(await verdict(body, { ...headers, 'webhook-timestamp': timestamp })).toBe('malformed-header')
    },
  )

  it('is signed as it was sent, leading zeros and all', async () => {
    const timestamp = `00${clock.now() / 1000}`
    const hmac = createHmac('sha256', 'the first secret, 32 bytes long.').update(`msg_1.${timestamp}.${BODY}`)
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${hmac.digest('base64')}`,
    }
    expect(await verdict(BODY, headers)).toBe('verified')
    expect(await verdict(BODY, { ...headers, 'webhook-timestamp': timestamp.slice(2) })).toBe('no-matching-signature')
  })

  it('is refused by a clock that tells no time', async () => {
    const broken = createVerifier({ secret: SECRET, clock: { now: () => Number.NaN, sleep: () => Promise.resolve() } })
    const { headers, body } = await sign(BODY)
    expect((await broken(body, headers)).status).toBe('refused')
  })

  it('is refused when it is too large to be a number', async () => {
    const { headers, body } = await sign(BODY)
    expect(await verdict(body, { ...headers, 'webhook-timestamp': '9'.repeat(400) })).toBe('timestamp-too-new')
  })
})

describe('a tolerance', () => {
  it.each([0, 3_600])('of %i s is accepted', (toleranceSeconds) => {
    expect(() => createVerifier({ secret: SECRET, toleranceSeconds })).not.toThrow()
  })

  it.each([-1, Number.NaN, '300'])('of %j is refused', (toleranceSeconds) => {
    const create = () => createVerifier({ secret: SECRET, toleranceSeconds: toleranceSeconds as number })
    expect(create).toThrow('toleranceSeconds must be a number of seconds from 0 to 3600. Omit it to use 300.')
  })

  it.each([3_601, 300_000])('of %i is refused, and the error names the unit', (toleranceSeconds) => {
    const create = () => createVerifier({ secret: SECRET, toleranceSeconds })
    expect(create).toThrow('from 0 to 3600. It is in seconds, not milliseconds: 300 is 5 minutes. Omit it')
  })
})

describe('a delivery that the service did not sign like this', () => {
  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('is refused without %s (§5)', async (name) => {
    const { headers, body } = await sign(BODY)
    for (const value of [undefined, '', []])
      expect(await verdict(body, { ...headers, [name]: value })).toBe('missing-header')
    const rest = new Headers(headers)
    rest.delete(name)
    expect(await verdict(body, rest)).toBe('missing-header')
  })

  it('is refused when a header is there twice', async () => {
    const { headers, body } = await sign(BODY)
    expect(await verdict(body, { ...headers, 'Webhook-Id': 'msg_1' })).toBe('malformed-header')
    expect(await verdict(body, { ...headers, 'webhook-id': ['msg_1', 'msg_1'] })).toBe('malformed-header')
  })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('is refused when %s is a number', async (name) => {
    const { headers, body } = await sign(BODY)
    const numbered = { ...headers, [name]: 1_767_258_000 } as unknown as Record<string, string>
    expect(await verdict(body, numbered)).toBe('malformed-header')
  })

  it('is refused when it brings over 32 entries, before any is decoded', async () => {
    const { headers, body } = await sign(BODY)
    const entry = headers['webhook-signature'] ?? ''
    expect(await verdict(body, { ...headers, 'webhook-signature': `${'v1,x '.repeat(31)}${entry}` })).toBe('verified')
    expect(await verdict(body, { ...headers, 'webhook-signature': `${'v1,x '.repeat(32)}${entry}` })).toBe(
      'malformed-header',
    )
  })

  it('is refused under the secret of another endpoint', async () => {
    const { headers, body } = await sign(BODY, { secret: OTHER_SECRET })
    expect(await verdict(body, headers)).toBe('no-matching-signature')
  })

  it('is refused when it names another version of the scheme (§5, §9)', async () => {
    const { headers, body } = await sign(BODY)
    const value = headers['webhook-signature']?.replace('v1,', 'v1a,')
    expect(await verdict(body, { ...headers, 'webhook-signature': value })).toBe('no-matching-signature')
  })

  it('is refused when the body was parsed and serialised again (§5)', async () => {
    const { headers, body } = await sign('{ "a": 1 }')
    expect(await verdict(JSON.stringify(JSON.parse(body)), headers)).toBe('no-matching-signature')
  })

  it('names what to pass instead of a parsed body', async () => {
    const { headers, body } = await sign(BODY)
    await expect(verify(JSON.parse(body), headers)).rejects.toThrow(BodyNotRawError)
    const message = 'the body is neither a string nor bytes. Pass the raw body: await request.text(), or a Buffer'
    const named = { code: 'body_not_raw', message: expect.stringContaining(message) }
    await expect(verify(JSON.parse(body), headers)).rejects.toMatchObject(named)
  })
})

describe('whatever is done to a signed delivery', () => {
  const aBody = fc.string({ unit: 'binary', maxLength: 200 })
  const aWebhookId = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/)
  const signed = fc.tuple(aBody, aWebhookId)

  it('no flipped bit of the body verifies', async () => {
    await fc.assert(
      fc.asyncProperty(signed, fc.nat(), fc.integer({ min: 0, max: 7 }), async ([body, webhookId], at, bit) => {
        const { headers } = await sign(body, { webhookId })
        const bytes = Buffer.from(body)
        fc.pre(bytes.length > 0)
        bytes.writeUInt8(bytes.readUInt8(at % bytes.length) ^ (1 << bit), at % bytes.length)
        expect(await verdict(bytes, headers)).toBe('no-matching-signature')
      }),
    )
  })

  it('no truncated or extended body verifies', async () => {
    await fc.assert(
      fc.asyncProperty(
        signed,
        fc.nat(),
        fc.uint8Array({ minLength: 1, maxLength: 4 }),
        async ([body, webhookId], cut, tail) => {
          const { headers } = await sign(body, { webhookId })
          const bytes = Buffer.from(body)
          expect(await verdict(Buffer.concat([bytes, tail]), headers)).toBe('no-matching-signature')
          if (bytes.length > 0) {
            expect(await verdict(bytes.subarray(0, cut % bytes.length), headers)).toBe('no-matching-signature')
          }
        },
      ),
    )
  })

  it('no changed character of a header verifies', async () => {
    const aHeader = fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature')
    const aCharacter = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 })
    await fc.assert(
      fc.asyncProperty(signed, aHeader, fc.nat(), aCharacter, async ([body, webhookId], name, at, character) => {
        const { headers } = await sign(body, { webhookId })
        const value = headers[name] ?? ''
        const position = at % value.length
        fc.pre(value[position] !== character)
        // A space inside the signatures ends one entry and begins another; the first may still be whole.
        fc.pre(!(name === 'webhook-signature' && character === ' '))
        const changed = value.slice(0, position) + character + value.slice(position + 1)
        expect(await verdict(body, { ...headers, [name]: changed })).not.toBe('verified')
      }),
      { numRuns: 500 },
    )
  })

  it('no shortened header verifies', async () => {
    const aHeader = fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature')
    await fc.assert(
      fc.asyncProperty(signed, aHeader, fc.nat(), async ([body, webhookId], name, at) => {
        const { headers } = await sign(body, { webhookId })
        const value = headers[name] ?? ''
        expect(await verdict(body, { ...headers, [name]: value.slice(0, at % value.length) })).not.toBe('verified')
      }),
    )
  })

  it('no second spelling of a signature verifies, although it decodes to the same bytes', async () => {
    const { headers, body } = await sign(BODY)
    const value = headers['webhook-signature'] ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const last = value.at(-2) ?? ''
    const twin = `${value.slice(0, -2)}${alphabet[alphabet.indexOf(last) + 1]}=`
    expect(Buffer.from(twin.slice(3), 'base64')).toEqual(Buffer.from(value.slice(3), 'base64'))
    expect(await verdict(body, { ...headers, 'webhook-signature': twin })).toBe('no-matching-signature')
    expect(await verdict(body, { ...headers, 'webhook-signature': value.replace('=', '') })).toBe(
      'no-matching-signature',
    )
  })
})

// The official library has no clock, so that it and we judge by the machine's; it takes text alone, and some forms
// that we refuse on purpose (a timestamp with junk after its digits, an entry with a second comma).
describe('the official library agrees wherever it can express the case', () => {
  const key = Buffer.from('the first secret, 32 bytes long.')
  const oracle = new Webhook(key, { format: 'raw' })
  const ours = createVerifier({ secret: SECRET })
  const anEntry = fc.oneof(
    fc.constant('signature' as const),
    fc.constantFrom('v1,', 'v1', 'v2,abcd', 'v1a,abcd', '', 'v1,AAAA', `v1,${Buffer.alloc(32, 7).toString('base64')}`),
  )
  const aCase = fc.record({
    body: fc.string({ unit: 'grapheme', maxLength: 60 }),
    sent: fc.option(fc.string({ unit: 'grapheme', maxLength: 60 }), { nil: undefined, freq: 4 }),
    webhookId: fc.stringMatching(/^[A-Za-z0-9_]{0,12}$/),
    offsetSeconds: fc.constantFrom(0, 0, 0, -290, 290, -310, 310, 4000),
    entries: fc.array(anEntry, { maxLength: 6 }),
  })

  it('on bodies, ids, timestamps and lists of entries', async () => {
    await fc.assert(
      fc.asyncProperty(aCase, async ({ body, sent, webhookId, offsetSeconds, entries }) => {
        const signedAt = new Date(Date.now() + offsetSeconds * 1000)
        const signature = oracle.sign(webhookId, signedAt, body)
        const headers = {
          'webhook-id': webhookId,
          'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
          'webhook-signature': entries.map((entry) => (entry === 'signature' ? signature : entry)).join(' '),
        }
        const received = sent ?? body
        expect((await ours(received, headers)).status).toBe(oracleSays(received, headers))
      }),
      { numRuns: 1000 },
    )
  })

  function oracleSays(body: string, headers: Record<string, string>): 'verified' | 'refused' {
    try {
      oracle.verify(body, headers, { jsonParse: false })
      return 'verified'
    } catch {
      return 'refused'
    }
  }
})

describe('making a verifier', () => {
  it.each([[[SECRET, null], 0] as const, [[null, undefined, '', SECRET], 3] as const])(
    'ignores gaps in a list of secrets: %j',
    async (secret, secretIndex) => {
      const { headers, body } = await sign(BODY)
      expect(await createVerifier({ secret, clock })(body, headers)).toMatchObject({ status: 'verified', secretIndex })
      const other = await sign(BODY, { secret: OTHER_SECRET })
      expect(await createVerifier({ secret, clock })(other.body, other.headers)).toMatchObject({ status: 'refused' })
    },
  )

  it.each([[[]], [[null]], [[undefined, '', null]]])('refuses a list without a secret: %j', (secret) => {
    expect(() => createVerifier({ secret })).toThrow(/the signing secret is missing/)
  })

  it.each([5, null, {}, Date.now])('refuses %j, which is no clock', (given) => {
    const refused = expect.objectContaining({ option: 'clock', message: expect.stringContaining('no method "now"') })
    expect(() => createVerifier({ secret: SECRET, clock: given as unknown as ManualClock })).toThrow(refused)
  })

  it('refuses a malformed secret, an empty list, a tolerance that is none, and unknown options', () => {
    expect(() => createVerifier({ secret: 'whsec_short' })).toThrow(/is incomplete/)
    expect(() => createVerifier({ secret: [SECRET, 'oops'] })).toThrow(/does not start with/)
    expect(() => createVerifier({ secret: [] })).toThrow(/the signing secret is missing/)
    expect(() => createVerifier({ secret: undefined as unknown as string })).toThrow(/is missing/)
    expect(() => createVerifier({ secret: SECRET, toleranceSeconds: Number.NaN })).toThrow(/toleranceSeconds must be/)
    expect(() => createVerifier({ secret: SECRET, toleranceSeconds: -1 })).toThrow(/toleranceSeconds must be/)
    // @ts-expect-error a misspelt option
    expect(() => createVerifier({ secret: SECRET, tolerance: 5 })).toThrow(
      'createVerifier has no option "tolerance". It takes: secret, toleranceSeconds, clock.',
    )
  })
})

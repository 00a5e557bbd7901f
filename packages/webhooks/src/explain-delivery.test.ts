import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../fixtures/manual-clock.ts'
import { OTHER_TEST_SECRET, TEST_SECRET } from '../fixtures/secrets.ts'
import { explainDelivery } from './explain-delivery.ts'
import { anEvent } from './testing/an-event.ts'
import { signAttempt } from './testing/sign-attempt.ts'
import type { SecretList } from './verifier/signing-secret.ts'

const clock = new ManualClock()
const event = { ...anEvent({ kind: 'note.ended' }), title: 'Café & "thé"' }
const json = JSON.stringify(event)
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

interface Delivery {
  readonly body: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** A delivery of a body that is signed now and then changed. */
async function delivery(signed: string, change: (sent: Delivery) => Partial<Delivery> = () => ({})): Promise<Delivery> {
  const sent = await signAttempt(TEST_SECRET, signed, { webhookId: 'msg_1', signedAt: clock.now() })
  return { ...sent, ...change(sent) }
}

const explain = ({ body, headers }: Delivery, secret: string | SecretList = TEST_SECRET) =>
  explainDelivery(body, headers, secret, { clock })

async function causesOf(sent: Delivery, secret?: string | SecretList): Promise<readonly string[]> {
  const explanation = await explain(sent, secret)
  return explanation.status === 'refused' ? explanation.causes.map(({ code }) => code) : []
}

describe('explainDelivery', () => {
  it('ignores gaps in a list of secrets', async () => {
    const sent = await delivery(json)
    expect(await explain(sent, [null, '', TEST_SECRET])).toMatchObject({ status: 'verified', secretIndex: 2 })
    expect(await causesOf(sent, [null, OTHER_TEST_SECRET])).toEqual(['secret_or_body_differs'])
  })

  it.each([[null], [''], [[]], [[null, undefined, '']]])('finds that there is no secret: %j', async (secret) => {
    const explanation = await explain(await delivery(json), secret as readonly string[])
    expect(explanation).toMatchObject({ causes: [{ code: 'secret_malformed', what: 'the signing secret is missing' }] })
  })

  it('verifies a delivery, and returns the index of the secret', async () => {
    const verified = await explain(await delivery(json), ['not a secret', OTHER_TEST_SECRET, TEST_SECRET])
    expect(verified).toMatchObject({ status: 'verified', webhookId: 'msg_1', secretIndex: 2 })
  })

  it.each<[string, string, string, string | Uint8Array]>([
    ['body_reserialised', 'compact JSON that was indented', json, JSON.stringify(event, null, 2)],
    ['body_reserialised', 'spaced JSON that was made compact', spacedJson(), json],
    ['body_reserialised', 'indented JSON that was made compact', JSON.stringify(event, null, 2), json],
    ['body_reserialised', 'JSON whose escapes were resolved', asciiJson(), json],
    ['body_newline', 'a line feed that was added', json, `${json}\n`],
    ['body_newline', 'a CR LF that was added', json, `${json}\r\n`],
    ['body_newline', 'a line feed that was removed', `${json}\n`, json],
    ['body_line_endings', 'LF that became CR LF', `{\n"a": 1 }`, `{\r\n"a": 1 }`],
    ['body_line_endings', 'CR LF that became LF', `{\r\n"a": 1 }`, `{\n"a": 1 }`],
    ['body_encoding', 'a byte order mark that was added', json, `\ufeff${json}`],
    ['body_encoding', 'UTF-8 that was written as Latin-1', json, latin1(json)],
    ['body_encoding', 'UTF-8 that was read as Latin-1', json, Buffer.from(json).toString('latin1')],
    ['body_encoded', 'a body in base64', json, Buffer.from(json).toString('base64')],
    ['body_encoded', 'a body in a JSON string', json, JSON.stringify(json)],
  ])('finds %s: %s', async (code, _change, signed, arrived) => {
    expect(await causesOf(await delivery(signed, () => ({ body: arrived })))).toEqual([code])
  })

  it.each<[string, string, (headers: Record<string, string>) => Record<string, string>]>([
    ['header_missing', 'webhook-id is missing', ({ 'webhook-id': _id, ...others }) => others],
    [
      'header_missing',
      'but svix-id is there',
      ({ 'webhook-id': id = '', ...others }) => ({ ...others, 'svix-id': id }),
    ],
    ['header_malformed', 'not a Unix time', (headers) => ({ ...headers, 'webhook-timestamp': 'Thu, 01 Jan' })],
    [
      'signature_version',
      'no complete v1 signature',
      (headers) => ({ ...headers, 'webhook-signature': (headers['webhook-signature'] ?? '').replace('v1', 'v2') }),
    ],
    [
      'signature_version',
      'no complete v1 signature',
      (headers) => ({ ...headers, 'webhook-signature': (headers['webhook-signature'] ?? '').slice(0, 30) }),
    ],
  ])('finds %s: %s', async (code, words, change) => {
    const explanation = await explain(await delivery(json, ({ headers }) => ({ headers: change({ ...headers }) })))
    expect(explanation).toMatchObject({ status: 'refused', causes: [{ code, what: expect.stringContaining(words) }] })
  })

  it.each<[string, string]>([
    ['an empty body', ''],
    ['JSON without its end', json.slice(0, 60)],
  ])('finds body_incomplete: %s', async (_fault, body) => {
    expect(await causesOf(await delivery(json, () => ({ body })))).toEqual(['body_incomplete'])
  })

  it('finds body_incomplete: a body shorter than its content-length', async () => {
    const short = await delivery(json, ({ headers }) => ({
      body: '{}',
      headers: { ...headers, 'content-length': '99' },
    }))
    expect(await causesOf(short)).toEqual(['body_incomplete'])
  })

  it.each([
    ['has quotes around it', `"${TEST_SECRET}"`],
    ['has white space', `${TEST_SECRET}\n`],
    ['has the name of its variable before it', `NOTES_SIGNING_SECRET=${TEST_SECRET}`],
    ['does not start with "whsec_"', TEST_SECRET.slice(6)],
    ['is not base64url', TEST_SECRET.slice(0, 31)],
  ])('finds secret_malformed: the secret %s', async (words, secret) => {
    const explanation = await explain(await delivery(json), secret)
    expect(explanation).toMatchObject({ causes: [{ code: 'secret_malformed', what: expect.stringContaining(words) }] })
    expect(JSON.stringify(explanation)).not.toContain(TEST_SECRET.slice(6))
  })

  it.each([
    ['the whole text', 'whsec_-_8tZXZlbi1sZXNzLXJlYWwtdGhhbi10aGUtb3RoZXI', (secret: string) => secret],
    ['the text after the prefix', TEST_SECRET, (secret: string) => secret.slice(6)],
    [
      'what standard base64 makes of the text',
      'whsec_-_8tZXZlbi1sZXNzLXJlYWwtdGhhbi10aGUtb3RoZXI',
      (secret: string) => Buffer.from(secret.slice(6).replace(/[-_]/g, ''), 'base64'),
    ],
  ])('finds secret_not_decoded: the sender signed with %s', async (_key, secret, keyOf) => {
    const signed = await delivery(json, ({ headers }) => {
      const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${json}`
      const signature = createHmac('sha256', keyOf(secret)).update(content).digest('base64')
      return { headers: { ...headers, 'webhook-signature': `v1,${signature}` } }
    })
    expect(await causesOf(signed, secret)).toEqual(['secret_not_decoded'])
  })

  it('finds secret_or_body_differs: another secret, or another body', async () => {
    expect(await causesOf(await delivery(json), OTHER_TEST_SECRET)).toEqual(['secret_or_body_differs'])
    expect(await causesOf(await delivery(json, () => ({ body: '{}' })))).toEqual(['secret_or_body_differs'])
  })

  it.each([
    ['timestamp_too_old', 301],
    ['timestamp_too_new', -301],
  ])('finds %s for a signature that matches', async (code, age) => {
    const sent = await signAttempt(TEST_SECRET, json, { signedAt: clock.now() - age * 1000 })
    expect(await explain(sent)).toMatchObject({ reason: code.replaceAll('_', '-'), causes: [{ code }] })
  })

  it('finds timestamp_in_milliseconds', async () => {
    const sent = await signAttempt(TEST_SECRET, json, { signedAt: clock.now() * 1000 })
    expect(await causesOf(sent)).toEqual(['timestamp_in_milliseconds'])
  })

  it('returns the cause of the mismatch before the cause of the timestamp', async () => {
    const sent = await signAttempt(TEST_SECRET, json, { signedAt: clock.now() - 400_000 })
    expect(await causesOf({ ...sent, body: `${json}\n` })).toEqual(['body_newline', 'timestamp_too_old'])
  })

  it('only verifies a body that is too large for a notification', async () => {
    const large = JSON.stringify({ ...event, filler: 'x'.repeat(16_384) })
    expect(await causesOf(await delivery(large))).toEqual([])
    expect(await causesOf(await delivery(large, () => ({ body: `${large}\n` })))).toEqual(['secret_or_body_differs'])
  })

  it('never throws for any bytes, headers and secrets, and does not show a secret', async () => {
    const anything = fc.string({ unit: 'binary', maxLength: 60 })
    const signatures = fc.oneof(anything, fc.constant('v1,'.padEnd(47, 'A')))
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        anything,
        signatures,
        anything,
        async (body, id, signature, secret) => {
          const headers = { 'webhook-id': id, 'webhook-timestamp': '1767258000', 'webhook-signature': signature }
          const explanation = await explainDelivery(body, headers, [secret, TEST_SECRET], { clock })
          expect(explanation.status).toBe('refused')
          expect(JSON.stringify(explanation)).not.toContain(TEST_SECRET)
        },
      ),
      { numRuns: 100 },
    )
  })
})

/** As Python's `json.dumps(event, ensure_ascii=False)` writes it. */
function spacedJson(): string {
  return json.replaceAll('":', '": ').replaceAll(',"', ', "')
}

function asciiJson(): string {
  return json.replace(/é/g, '\\u00e9')
}

import { createHmac } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { createNotesService } from '@notewire/mock-server'
import { anEvent } from '@notewire/webhooks/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CapturedRequest } from './captured-request.ts'
import { examine } from './examination.ts'
import {
  aDelivery,
  examined,
  explanationIn,
  OTHER_SECRET,
  SIGNED_AT,
  TEST_SECRET,
  textOf,
  withBody,
  withHeader,
} from './fixtures/a-delivery.ts'
import { JSON_STYLES, jsonStyleInWords, writeJson } from './json/json-style.ts'
import { jsonTreeOf } from './json/json-tree.ts'

const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((drawn) => drawn.replaceAll(' ', '_'))

/** Events as a service may send them, with fields of its own. */
const event = fc
  .record({
    kind: fc.constantFrom('note.ended', 'note.updated', 'note.deleted', 'endpoint.test'),
    note: word,
    more: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/),
      fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null), fc.array(word, { maxLength: 3 })),
      { maxKeys: 3 },
    ),
  })
  .map(({ kind, note, more }) => ({ ...anEvent({ kind: kind as 'note.ended', noteId: note }), ...more }))

const secret = fc
  .uint8Array({ minLength: 16, maxLength: 48 })
  .map((key) => `whsec_${Buffer.from(key).toString('base64url')}`)

const bytesOf = (text: string) => Buffer.from(text, 'utf8')
const utf8 = (text: string) => new Uint8Array(bytesOf(text))

describe('a delivery as it was signed', () => {
  it('is valid, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(event, secret, async (anyEvent, anySecret) => {
        const delivery = await aDelivery({ body: JSON.stringify(anyEvent), secret: anySecret })
        expect(await examined(delivery, anySecret)).toMatchObject({ verdict: 'valid', signature: 'right' })
      }),
      { numRuns: 30 },
    )
  })

  it('is valid when the reference service sent it', async () => {
    await using service = await createNotesService()
    const secrets: string[] = []
    await service.connect((given) => {
      secrets.push(given)
      return () => new Response(null, { status: 204 })
    })
    service.owner.record({ title: 'Stand-up' }).end()
    await service.settled()
    for (const attempt of service.attempts) {
      const headers = Object.entries(attempt.headers).map(([name, value]) => ({ name, value }))
      const capture: CapturedRequest = { ...withBody(await aDelivery(), attempt.body), headers }
      const named = secrets.map((each) => ({ name: 'secret', text: each }))
      const examination = await examine(capture, { secrets: named, at: attempt.at, tolerance: 300 })
      expect(examination).toMatchObject({ verdict: 'valid' })
    }
    expect(service.attempts).toHaveLength(3)
  })

  it('names the secret that it was signed with, of several', async () => {
    const delivery = await aDelivery({ secret: OTHER_SECRET })
    expect(await examined(delivery, TEST_SECRET, OTHER_SECRET)).toMatchObject({
      verdict: 'valid',
      secret: { number: 2, name: 'file-2' },
    })
  })

  it('counts the secrets that are malformed, too', async () => {
    const delivery = await aDelivery()
    expect(await examined(delivery, 'nonsense', TEST_SECRET)).toMatchObject({ verdict: 'valid', secret: { number: 2 } })
  })
})

/** What programs do to a body, and what the examination must call it. */
const bodyFaults: readonly (readonly [string, (body: string) => string | Uint8Array | undefined])[] = [
  ['body_reserialised', (body) => JSON.stringify(JSON.parse(body), null, 2)],
  ['body_reserialised', (body) => JSON.stringify(JSON.parse(body), null, 4)],
  ['body_reserialised', (body) => JSON.stringify(JSON.parse(body), null, '\t')],
  ['body_newline_added', (body) => `${body}\n`],
  ['body_newline_added', (body) => `${body}\r\n`],
  ['body_whitespace_around', (body) => ` \t${body}  `],
  ['body_bom_added', (body) => `\ufeff${body}`],
  ['body_mojibake', (body) => bytesOf(body).toString('latin1')],
  ['body_latin1', (body) => (isLatin1(body) ? new Uint8Array(Buffer.from(body, 'latin1')) : undefined)],
  ['body_url_encoded', (body) => (body.isWellFormed() ? encodeURIComponent(body) : undefined)],
  [
    'body_url_encoded',
    (body) => (body.isWellFormed() ? new URLSearchParams([[body, '']]).toString().slice(0, -1) : undefined),
  ],
  ['body_url_encoded', (body) => `${body}=`],
  ['body_url_decoded', (body) => body.replaceAll('+', ' ')],
  ['body_compressed', (body) => new Uint8Array(gzipSync(utf8(body)))],
  ['body_compressed', (body) => new Uint8Array(deflateSync(utf8(body)))],
  ['body_compressed', (body) => new Uint8Array(brotliCompressSync(utf8(body)))],
  ['body_base64', (body) => bytesOf(body).toString('base64')],
  ['body_json_in_string', (body) => JSON.stringify(body)],
]

const isLatin1 = (text: string) => [...text].every((character) => (character.codePointAt(0) ?? 0) <= 0xff)

describe('a body that was changed on its way', () => {
  it.each(bodyFaults)('is called %s', async (code, change) => {
    const bodies = event.map((each) => ({ ...each, café: 'naïve+b' })).map((each) => JSON.stringify(each))
    await fc.assert(
      fc.asyncProperty(bodies, secret, async (body, anySecret) => {
        const changed = change(body)
        fc.pre(changed !== undefined && changed !== body)
        const delivery = withBody(await aDelivery({ body, secret: anySecret }), changed)
        const examination = await examined(delivery, anySecret)
        expect(examination).toMatchObject({ verdict: 'invalid', signature: 'explained', hints: [] })
        expect(explanationIn(examination)).toEqual([code])
      }),
      { numRuns: 12 },
    )
  })

  it('is called body_line_endings when its line breaks were converted, either way', async () => {
    const pretty = JSON.stringify(anEvent({ kind: 'note.ended' }), null, 2)
    const crLf = pretty.replaceAll('\n', '\r\n')
    for (const [signed, arrived] of [
      [pretty, crLf],
      [crLf, pretty],
    ] as const) {
      const examination = await examined(withBody(await aDelivery({ body: signed }), arrived))
      expect(explanationIn(examination)).toEqual(['body_line_endings'])
    }
  })

  it.each(['\n', '\r\n'])('is called body_newline_lost when %j was cut off', async (end) => {
    const body = JSON.stringify(anEvent({ kind: 'note.ended' }))
    const examination = await examined(withBody(await aDelivery({ body: body + end }), body))
    expect(explanationIn(examination)).toEqual(['body_newline_lost'])
  })

  it('is called body_bom_lost when its byte order mark was taken off', async () => {
    const body = JSON.stringify(anEvent({ kind: 'note.ended' }))
    const examination = await examined(withBody(await aDelivery({ body: `\ufeff${body}` }), body))
    expect(explanationIn(examination)).toEqual(['body_bom_lost'])
  })

  it('is called longer than declared when something stands behind it', async () => {
    const delivery = await aDelivery()
    const headers = [...delivery.headers, { name: 'Content-Length', value: String(delivery.body.length) }]
    const longer = { ...withBody(delivery, Buffer.concat([delivery.body, utf8('-- end of log --')])), headers }
    expect(explanationIn(await examined(longer))).toEqual(['body_longer_than_declared'])
  })
})

describe('a body that was parsed and written again', () => {
  const style = fc.constantFrom(...JSON_STYLES)

  it('is known from every style to every other, and both styles are named', async () => {
    await fc.assert(
      fc.asyncProperty(event, style, style, async (anyEvent, signed, arrived) => {
        const tree = jsonTreeOf(JSON.stringify({ ...anyEvent, probe: 'é</>"\'+\\' }))
        if (tree === undefined) throw new Error('an event is JSON')
        const [before, after] = [writeJson(tree, signed), writeJson(tree, arrived)]
        fc.pre(before !== after)
        const examination = await examined(withBody(await aDelivery({ body: before }), after))
        expect(explanationIn(examination)).toEqual(['body_reserialised'])
        const [finding] = examination.explanations[0]?.findings ?? []
        expect(finding?.what).toContain(`the same JSON ${jsonStyleInWords(signed)}; what arrived`)
        expect(finding?.what).toContain(`is written ${jsonStyleInWords(arrived)}`)
      }),
      { numRuns: 60 },
    )
  })

  it('with sorted keys is known, and so is how they were sorted', async () => {
    const signed = anEvent({ kind: 'note.ended' })
    const sortedKeys = (value: object, compare?: (one: string, other: string) => number): object =>
      Object.fromEntries(
        Object.entries(value)
          .sort(([one], [other]) => (compare === undefined ? Number(one > other) || -1 : compare(one, other)))
          .map(([key, each]) => [key, typeof each === 'object' ? sortedKeys(each, compare) : each]),
      )
    const delivery = await aDelivery({ body: JSON.stringify(signed) })
    const sorted = await examined(withBody(delivery, JSON.stringify(sortedKeys(signed))))
    expect(explanationIn(sorted)).toEqual(['body_keys_reordered'])
    expect(textOf(sorted)).toContain('sorted by the alphabet')
    const byLength = (one: string, other: string) => one.length - other.length || (one < other ? -1 : 1)
    const stored = JSON.stringify(sortedKeys(signed, byLength)).replaceAll('":', '": ').replaceAll(',"', ', "')
    const fromDatabase = await examined(withBody(delivery, stored))
    expect(explanationIn(fromDatabase)).toEqual(['body_keys_reordered', 'body_reserialised'])
    expect(textOf(fromDatabase)).toContain("sorted by length, as PostgreSQL's jsonb does")
  })

  it('with sorted keys is known even where the service has an order of its own', async () => {
    const { data, ...envelope } = anEvent({ kind: 'note.ended' })
    const signed = JSON.stringify({ data: { zeal: 1, ...data }, ...envelope })
    const arrived = JSON.stringify({ ...envelope, data: { ...data, zeal: 1 } })
    const examination = await examined(withBody(await aDelivery({ body: signed }), arrived))
    expect(explanationIn(examination)).toEqual(['body_keys_reordered'])
  })

  it('keeps numbers that JavaScript cannot hold', async () => {
    const signed = '{"event_id":"evt_1","data":{"revision":12345678901234567890,"share":1.0}}'
    const arrived = signed.replaceAll(':', ': ').replaceAll(',', ', ')
    const examination = await examined(withBody(await aDelivery({ body: signed }), arrived))
    expect(explanationIn(examination)).toEqual(['body_reserialised'])
  })
})

describe('a body of which something was altered', () => {
  it('is not explained, whichever byte it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (place, change) => {
        const delivery = await aDelivery()
        const body = Uint8Array.from(delivery.body)
        const index = place % body.length
        body[index] = (body[index] ?? 0) ^ change
        const examination = await examined(withBody(delivery, body))
        expect(examination).toMatchObject({ verdict: 'invalid', signature: 'unexplained', explanations: [] })
        expect(examination.hints.map(({ code }) => code)).toContain('other_secret_or_altered')
      }),
      { numRuns: 6 },
    )
  })

  it.each([
    ['body_empty', ''],
    ['body_not_json', '{"event_id":'],
    ['body_replacement_characters', '{"title":"caf\ufffd"}'],
  ])('leads to the hint %s', async (code, body) => {
    const examination = await examined(withBody(await aDelivery(), body))
    expect(examination.hints.map((hint) => hint.code)).toContain(code)
  })

  it('leads to the hint that it is cut off, when its length says so', async () => {
    const delivery = await aDelivery()
    const headers = [...delivery.headers, { name: 'content-length', value: String(delivery.body.length) }]
    const examination = await examined({ ...withBody(delivery, delivery.body.slice(0, 40)), headers })
    expect(examination.hints.map(({ code }) => code)).toContain('body_cut_off')
  })
})

function signedWith(key: string | Uint8Array, delivery: CapturedRequest): CapturedRequest {
  const content = `msg_1.${SIGNED_AT / 1000}.`
  const signature = createHmac('sha256', key).update(content).update(delivery.body).digest('base64')
  return withHeader(delivery, 'webhook-signature', () => `v1,${signature}`)
}

const text = OTHER_SECRET.slice('whsec_'.length)
const key = Buffer.from(text, 'base64url')
const hexSecret = `whsec_${'0a1b2c3d'.repeat(8)}`

describe('a request that was signed with the secret misread', () => {
  it.each([
    ['secret_as_text', OTHER_SECRET, OTHER_SECRET],
    ['secret_without_prefix_as_text', OTHER_SECRET, text],
    ['secret_as_text_with_newline', OTHER_SECRET, `${OTHER_SECRET}\n`],
    ['secret_prefix_decoded', OTHER_SECRET, Buffer.from(OTHER_SECRET, 'base64')],
    ['secret_alphabet', OTHER_SECRET, Buffer.from(text.replace(/[-_]/g, ''), 'base64')],
    ['secret_alphabet', 'whsec_bm90LWEtcmVhbC1zZWNy-XQtanVzdC1hLXRlc3Q', Buffer.from('bm90LWEtcmVhbC1zZWNy', 'base64')],
    ['secret_cut_to_padding', OTHER_SECRET, Buffer.from(text.slice(0, text.length - (text.length % 4)), 'base64url')],
    ['secret_hex', hexSecret, Buffer.from(hexSecret.slice(6), 'hex')],
    ['secret_hex', OTHER_SECRET, key.toString('hex')],
    ['secret_empty', OTHER_SECRET, ''],
  ])('is called %s', async (code, given, signingKey) => {
    const examination = await examined(signedWith(signingKey, await aDelivery()), given)
    expect(explanationIn(examination)).toEqual([code])
  })
})

describe('a secret that was stored badly', () => {
  it.each([
    ['secret_whitespace', `${OTHER_SECRET}\n`],
    ['secret_whitespace', ` ${OTHER_SECRET}`],
    ['secret_whitespace', `${OTHER_SECRET.slice(0, 20)}\n${OTHER_SECRET.slice(20)}`],
    ['secret_quotes', `"${OTHER_SECRET}"`],
    ['secret_quotes', `'${OTHER_SECRET}'`],
    ['secret_name_before', `NOTES_SIGNING_SECRET=${OTHER_SECRET}`],
    ['secret_prefix_lost', text],
  ])('is called %s', async (code, given) => {
    const examination = await examined(await aDelivery({ secret: OTHER_SECRET }), given)
    expect(explanationIn(examination)).toEqual([code])
    expect(examination).toMatchObject({ verdict: 'invalid', faults: [{ code: 'secret_malformed' }] })
  })
})

describe('the time of a request', () => {
  const judged = async (at: number, tolerance: number | 'any' = 300) =>
    examine(await aDelivery(), { secrets: [{ name: 'secret.txt', text: TEST_SECRET }], at, tolerance })

  it.each([
    ['clock_too_old', 301, '301 s old'],
    ['clock_too_new', -412, '412 s ahead'],
  ])('is called %s by the second', async (code, seconds, words) => {
    const examination = await judged(SIGNED_AT + seconds * 1000)
    expect(examination).toMatchObject({
      verdict: 'invalid',
      signature: 'right',
      ageSeconds: seconds,
      faults: [{ code }],
    })
    expect(examination.faults[0]?.what).toContain(words)
    expect(examination.faults[0]?.fix).toContain(`--at ${SIGNED_AT / 1000}`)
  })

  it('does not count when it is to be ignored', async () => {
    expect(await judged(0, 'any')).toMatchObject({ verdict: 'valid' })
  })

  it('is called milliseconds when it is in milliseconds, and was signed so', async () => {
    const delivery = withHeader(await aDelivery(), 'webhook-timestamp', () => String(SIGNED_AT))
    const signature = createHmac('sha256', Buffer.from(TEST_SECRET.slice(6), 'base64url'))
      .update(`msg_1.${SIGNED_AT}.`)
      .update(delivery.body)
      .digest('base64')
    const examination = await examined(withHeader(delivery, 'webhook-signature', () => `v1,${signature}`))
    expect(examination).toMatchObject({
      verdict: 'invalid',
      signature: 'right',
      faults: [{ code: 'clock_milliseconds' }],
    })
  })

  it('is told beside what happened to the body', async () => {
    const delivery = await aDelivery()
    const pretty = withBody(delivery, JSON.stringify(JSON.parse(Buffer.from(delivery.body).toString()), null, 2))
    const secrets = [{ name: 'secret.txt', text: TEST_SECRET }]
    const examination = await examine(pretty, { secrets, at: SIGNED_AT + 3_600_000, tolerance: 300 })
    expect(explanationIn(examination)).toEqual(['body_reserialised'])
    expect(examination.faults.map(({ code }) => code)).toEqual(['clock_too_old'])
  })
})

describe('a header that was altered', () => {
  const asEntries = (value: string) => value.slice('v1,'.length)

  it.each([
    ['header_joined', 'webhook-id', (value: string) => `${value}, ${value}`],
    ['header_quotes', 'webhook-id', (value: string) => `"${value}"`],
    ['timestamp_milliseconds', 'webhook-timestamp', (value: string) => `${value}123`],
    ['timestamp_other_form', 'webhook-timestamp', () => new Date(SIGNED_AT).toISOString()],
    ['timestamp_other_form', 'webhook-timestamp', (value: string) => `${value}.25`],
    ['signature_list_commas', 'webhook-signature', (value: string) => `v1,${'A'.repeat(43)}=,${value}`],
    ['signature_list_commas', 'webhook-signature', (value: string) => `${value}, v1,${'A'.repeat(43)}=`],
    ['signature_url_encoded', 'webhook-signature', (value: string) => encodeURIComponent(value)],
    ['signature_padding', 'webhook-signature', (value: string) => value.slice(0, -1)],
    [
      'signature_hex',
      'webhook-signature',
      (value: string) => `v1,${Buffer.from(asEntries(value), 'base64').toString('hex')}`,
    ],
    ['signature_version', 'webhook-signature', asEntries],
    ['signature_version', 'webhook-signature', (value: string) => `v1=${asEntries(value)}`],
    ['header_quotes', 'webhook-signature', (value: string) => `"${value}"`],
  ])('is called %s', async (code, name, change) => {
    const examination = await examined(withHeader(await aDelivery(), name, change))
    expect(explanationIn(examination)).toEqual([code])
  })

  it('is called a plus that became a space, and base64url, whatever the signature', async () => {
    await fc.assert(
      fc.asyncProperty(event, async (anyEvent) => {
        const delivery = await aDelivery({ body: JSON.stringify(anyEvent) })
        const signature = delivery.headers.find(({ name }) => name === 'webhook-signature')?.value ?? ''
        fc.pre(signature.includes('+'))
        const spaced = await examined(withHeader(delivery, 'webhook-signature', (value) => value.replaceAll('+', ' ')))
        expect(explanationIn(spaced)).toEqual(['signature_plus_as_space'])
        const url = await examined(
          withHeader(delivery, 'webhook-signature', (value) => value.replaceAll('+', '-').replaceAll('/', '_')),
        )
        expect(explanationIn(url)).toEqual(['signature_base64url'])
      }),
      { numRuns: 10 },
    )
  })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('is called missing when %s is', async (name) => {
    const examination = await examined(withHeader(await aDelivery(), name, () => undefined))
    expect(examination).toMatchObject({ verdict: 'invalid', refusal: { reason: 'missing-header' } })
    expect(examination.faults.map(({ what }) => what)).toEqual([`the header ${name} is missing`])
  })

  it.each(['svix-', 'HTTP_WEBHOOK_', 'X-Webhook-'])('is known under a name that begins with %s', async (prefix) => {
    const delivery = await aDelivery()
    const headers = delivery.headers.map(({ name, value }) => ({ name: name.replace(/^webhook-/, prefix), value }))
    const examination = await examined({ ...delivery, headers })
    expect(explanationIn(examination)).toEqual(['header_names', 'header_names', 'header_names'])
    expect(examination.faults).toEqual([])
  })
})

describe('content that was put together otherwise', () => {
  it.each([
    (time: string) => `${time}.msg_1.`,
    (time: string) => `${time}.`,
    () => 'msg_1.',
    () => '',
    (time: string) => `msg_1${time}`,
    (time: string) => `msg_1:${time}:`,
  ])('is called content_order', async (prefixOf) => {
    const delivery = await aDelivery()
    const signature = createHmac('sha256', Buffer.from(TEST_SECRET.slice(6), 'base64url'))
      .update(prefixOf(String(SIGNED_AT / 1000)))
      .update(delivery.body)
      .digest('base64')
    const examination = await examined(withHeader(delivery, 'webhook-signature', () => `v1,${signature}`))
    expect(explanationIn(examination)).toEqual(['content_order'])
  })
})

describe('several faults at once', () => {
  it('are all named, and the one secret of several that explains them', async () => {
    const body = JSON.stringify(anEvent({ kind: 'note.ended' }))
    const signed = signedWith(OTHER_SECRET, await aDelivery({ body }))
    const renamed = withHeader(signed, 'webhook-id', (value) => `${value}, ${value}`)
    const examination = await examined(
      withBody(renamed, JSON.stringify(JSON.parse(body), null, 2)),
      TEST_SECRET,
      OTHER_SECRET,
    )
    expect([...explanationIn(examination)].sort()).toEqual(['body_reserialised', 'header_joined', 'secret_as_text'])
    expect(examination.explanations[0]?.secret.number).toBe(2)
  })
})

describe('an examination', () => {
  it('never fails, and never shows a secret or a part of the body', async () => {
    const headerName = fc.constantFrom(
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'svix-id',
      'content-length',
      'x',
    )
    const headers = fc.array(fc.record({ name: headerName, value: fc.string({ unit: 'binary', maxLength: 80 }) }), {
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(
        headers,
        fc.uint8Array({ maxLength: 200 }),
        fc.string({ maxLength: 60 }),
        async (drawn, body, given) => {
          const request: CapturedRequest = {
            format: 'raw',
            entry: 1,
            method: 'POST',
            headers: drawn,
            body,
            notices: [],
          }
          const examination = await examined(request, given, OTHER_SECRET)
          expect(examination.verdict).toBe('invalid')
        },
      ),
      { numRuns: 150 },
    )
  })

  it('holds nothing of a secret or a body, whatever it found', async () => {
    const body = JSON.stringify({ ...anEvent({ kind: 'note.ended' }), marker: 'body-marker' })
    const pretty = JSON.stringify(JSON.parse(body), null, 2)
    for (const [arrived, given] of [
      [body, OTHER_SECRET],
      [pretty, `"${OTHER_SECRET}"`],
      [`${body}\n`, text],
      [body.replace('ready', 'reedy'), TEST_SECRET],
    ] as const) {
      const shown = textOf(await examined(withBody(await aDelivery({ body, secret: OTHER_SECRET }), arrived), given))
      for (const hidden of ['body-marker', text, TEST_SECRET.slice(6)]) expect(shown).not.toContain(hidden)
    }
  })

  it('of a large body ends within seconds', async () => {
    const large = JSON.stringify({ ...anEvent({ kind: 'note.ended' }), padding: 'é x'.repeat(2_000_000) })
    const examination = await examined(withBody(await aDelivery(), large))
    expect(examination.signature).toBe('unexplained')
  })
})

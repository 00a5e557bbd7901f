import { anAttempt, BODY, refused, type VectorFile, verified } from './vector.ts'

const LATIN_1 = Buffer.from('{"title":"Gespräch"}', 'latin1')
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
/** Every byte once: no encoding of text gives them back. */
const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

export const bodies: VectorFile = {
  description: 'Bodies of every kind. What is signed are the bytes, whatever they mean.',
  cases: [
    verified('an event', anAttempt()),
    verified('an empty body', anAttempt({ body: '' })),
    verified('a single space', anAttempt({ body: ' ' })),
    verified('JSON with spaces and line breaks', anAttempt({ body: '{\r\n  "event_id" : "evt_1"\n}\r\n' })),
    verified('JSON whose keys a parser would reorder', anAttempt({ body: '{"b":1,"a":2,"1":3,"a":4}' })),
    verified(
      'JSON whose numbers a parser would change',
      anAttempt({ body: '{"a":1.0,"b":1e2,"c":12345678901234567890}' }),
    ),
    verified('text beyond ASCII', anAttempt({ body: '{"title":"Gespräch über 🎻 — 会議"}' })),
    verified('text in a decomposed form, and in a composed one', anAttempt({ body: '{"a":"e\u0301","b":"é"}' })),
    verified('line separators of Unicode', anAttempt({ body: '{"a":"\u2028\u2029\u0085"}' })),
    verified('escapes of lone surrogates', anAttempt({ body: '{"a":"\\ud800"}' })),
    verified('dots, which also separate what is signed', anAttempt({ body: '...1767258000..' })),
    verified('a zero byte in the middle', anAttempt({ body: Buffer.from('{"a":1}\0{"a":2}') })),
    verified('a byte order mark', anAttempt({ body: Buffer.concat([BYTE_ORDER_MARK, Buffer.from(BODY)]) })),
    verified('ISO 8859-1, which is no UTF-8', anAttempt({ body: LATIN_1 })),
    verified('every byte once', anAttempt({ body: EVERY_BYTE })),
    verified('a body longer than any buffer of a hash', anAttempt({ body: 'x'.repeat(2_000) })),
    refused('a byte order mark that was taken off', 'no-matching-signature', {
      ...anAttempt({ body: Buffer.concat([BYTE_ORDER_MARK, Buffer.from(BODY)]) }),
      body: BODY,
    }),
    refused('a byte that is no UTF-8, replaced by U+FFFD', 'no-matching-signature', {
      ...anAttempt({ body: LATIN_1 }),
      body: LATIN_1.toString('utf8'),
    }),
    refused('a byte that is no UTF-8, exchanged for another that is none', 'no-matching-signature', {
      ...anAttempt({ body: Buffer.from([0xff]) }),
      body: Buffer.from([0xfe]),
    }),
    refused('text in a composed form that was signed in a decomposed one', 'no-matching-signature', {
      ...anAttempt({ body: '{"a":"e\u0301"}' }),
      body: '{"a":"é"}',
    }),
  ],
}

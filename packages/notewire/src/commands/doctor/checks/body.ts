import { group, must, REJECTED, should } from '../check.ts'
import { eventBody, signerWithRandomKey, testEvent, testId } from '../delivery.ts'
import { isRejected } from '../send.ts'

const RULE_1 = '§5, receiver rule 1'
const SHAPE = '§6, request body shape'
const SIZE = 'open point 25'

const VERIFY_RAW_BODY =
  "Verify the bytes of the body as they arrived, before any JSON parser: request.get_data() in Flask, request.body in Django, io.ReadAll(r.Body) in Go, request.raw_post in Rails, file_get_contents('php://input') in PHP, @RequestBody byte[] in Spring, express.raw({ type: '*/*' }) in Express."

const PARSE_SAFELY =
  'After the verification, catch the error of the JSON parser and answer 400. Check event_id, event_type and data before you use them.'

/** Open point 25: receivers should accept bodies of this size. */
const LARGE_BODY_BYTES = 256 * 1024 - 16

/** Far more than any notification has. */
const HUGE_BODY_BYTES = 4 * 1024 * 1024

const NO_EVENTS = ['null', '7', '[]', '{}', '{"event_type":"note.ended"}']

export const bodyChecks = group('Bodies', [
  must('body.spaces', 'a body with indentation and another order of keys', RULE_1, {
    fix: VERIFY_RAW_BODY,
    accepts: ({ acceptedKind = '' }) => {
      const { event_id, event_type, occurred_at, data } = testEvent(acceptedKind)
      return { body: JSON.stringify({ occurred_at, data, event_type, event_id }, null, 3).replaceAll('":', '" :') }
    },
  }),
  must('body.line-breaks', 'a body that starts and ends with line breaks', RULE_1, {
    fix: `${VERIFY_RAW_BODY} Do not trim the body.`,
    accepts: ({ acceptedKind }) => ({
      body: `\r\n ${eventBody(acceptedKind)}\r\n`,
    }),
  }),
  must('body.non-ascii', 'a body with characters outside ASCII (é, emoji, U+2028)', RULE_1, {
    fix: `${VERIFY_RAW_BODY} If you hash text, encode it as UTF-8, not as Latin-1 or ASCII, and do not normalize it.`,
    accepts: ({ acceptedKind }) => ({
      // The last two characters change under Unicode normalization.
      body: eventBody(acceptedKind, {}, { event_id: `${testId('event')}_\u00e9\u{1F4DD}\u2028e\u0301\ufb01` }),
    }),
  }),
  must('body.split', 'a body that arrives in two parts, split within a character', RULE_1, {
    fix: 'Collect the parts of the body as bytes (Buffer.concat(chunks) in Node.js), and decode them together: a character may begin in one part and end in the next.',
    requires: 'body.non-ascii',
    accepts: ({ acceptedKind }) => {
      const body = Buffer.from(eventBody(acceptedKind, {}, { event_id: `${testId('event')}_\u00e9` }))
      return { body, splitAt: body.indexOf(0xc3) + 1 }
    },
  }),
  must('body.escapes', 'a body with escaped characters (\\u005f)', RULE_1, {
    fix: VERIFY_RAW_BODY,
    accepts: ({ acceptedKind }) => ({
      body: eventBody(acceptedKind).replaceAll('doctor_', 'doctor\\u005f'),
    }),
  }),
  should('body.large', 'a body of just under 256 KiB', SIZE, {
    fix: "Raise the limit to 256 KiB for this route: client_max_body_size in nginx, DATA_UPLOAD_MAX_MEMORY_SIZE in Django, express.raw({ limit: '256kb' }) in Express, whose default is 100 kB.",
    requires: 'body.line-breaks',
    accepts: ({ acceptedKind }) => ({
      body: eventBody(acceptedKind).padEnd(LARGE_BODY_BYTES),
    }),
  }),
  should('body.too-large', 'a body of 4 MiB', SIZE, {
    fix: 'Stop reading at a limit and answer 413: MAX_CONTENT_LENGTH in Flask, DATA_UPLOAD_MAX_MEMORY_SIZE in Django, http.MaxBytesReader in Go, bodyLimit in Fastify. Otherwise anyone can fill the memory of the receiver without a signature.',
    expects: { ...REJECTED, isMetBy: (reply) => isRejected(reply) || reply.kind === 'closed' },
    sends: ({ acceptedKind }) => ({ body: eventBody(acceptedKind).padEnd(HUGE_BODY_BYTES) }),
  }),
  must('body.unsigned-not-json', 'a body that is not an event and not signed', '§5, receiver rule 6', {
    fix: 'Verify the signature before you parse the body. Answer 401 if the signature is not valid; the body does not matter.',
    requires: 'signature.wrong-secret',
    rejects: () =>
      ['{"event_id":', '', '\u0000', ...NO_EVENTS].map((text) => ({
        what: JSON.stringify(text),
        body: text,
        signer: signerWithRandomKey(),
      })),
  }),
  should('body.empty', 'a signed empty body', SHAPE, { fix: PARSE_SAFELY, acceptsOrRejects: () => ({ body: '' }) }),
  should('body.not-json', 'a signed body that is not JSON', SHAPE, {
    fix: PARSE_SAFELY,
    acceptsOrRejects: () =>
      ['{"event_id":', 'hello', '\ufeff{}'].map((text) => ({ what: JSON.stringify(text), body: text })),
  }),
  should('body.no-event', 'a signed body that is JSON but not an event', SHAPE, {
    fix: PARSE_SAFELY,
    acceptsOrRejects: () => NO_EVENTS.map((text) => ({ what: text, body: text })),
  }),
  should('body.not-utf8', 'a signed body that is not UTF-8', SHAPE, {
    fix: `Hash the bytes, not decoded text, and answer 400 if they are not UTF-8. ${VERIFY_RAW_BODY}`,
    acceptsOrRejects: () => ({
      body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    }),
  }),
])

import { accepts, acceptsOrRejects, answers, group, must, REJECTED, rejects, should } from '../check.ts'
import { eventBody, strangerSigner, testEvent, testId } from '../delivery.ts'
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
  must(
    'body.spaces',
    accepts('a body with indentation and another order of keys', ({ acceptedKind = '' }) => {
      const { event_id, event_type, occurred_at, data } = testEvent(acceptedKind)
      return { body: JSON.stringify({ occurred_at, data, event_type, event_id }, null, 3).replaceAll('":', '" :') }
    }),
    RULE_1,
    {
      fix: VERIFY_RAW_BODY,
    },
  ),
  must(
    'body.line-breaks',
    accepts('a body that starts and ends with line breaks', ({ acceptedKind }) => ({
      body: `\r\n ${eventBody(acceptedKind)}\r\n`,
    })),
    RULE_1,
    {
      fix: `${VERIFY_RAW_BODY} Do not trim the body.`,
    },
  ),
  must(
    'body.non-ascii',
    accepts('a body with characters outside ASCII (é, emoji, U+2028)', ({ acceptedKind }) => ({
      // The last two characters change under Unicode normalization.
      body: eventBody(acceptedKind, {}, { event_id: `${testId('event')}_\u00e9\u{1F4DD}\u2028e\u0301\ufb01` }),
    })),
    RULE_1,
    {
      fix: `${VERIFY_RAW_BODY} If you hash text, encode it as UTF-8, not as Latin-1 or ASCII, and do not normalize it.`,
    },
  ),
  must(
    'body.escapes',
    accepts('a body with escaped characters (\\u005f)', ({ acceptedKind }) => ({
      body: eventBody(acceptedKind).replaceAll('doctor_', 'doctor\\u005f'),
    })),
    RULE_1,
    {
      fix: VERIFY_RAW_BODY,
    },
  ),
  should(
    'body.large',
    accepts('a body of just under 256 KiB', ({ acceptedKind }) => ({
      body: eventBody(acceptedKind).padEnd(LARGE_BODY_BYTES),
    })),
    SIZE,
    {
      fix: "Raise the limit to 256 KiB for this route: client_max_body_size in nginx, DATA_UPLOAD_MAX_MEMORY_SIZE in Django, express.raw({ limit: '256kb' }) in Express, whose default is 100 kB.",
      requires: 'body.line-breaks',
    },
  ),
  should(
    'body.too-large',
    answers(
      'a body of 4 MiB',
      { ...REJECTED, isMetBy: (reply) => isRejected(reply) || reply.kind === 'closed' },
      ({ acceptedKind }) => ({ body: eventBody(acceptedKind).padEnd(HUGE_BODY_BYTES) }),
    ),
    SIZE,
    {
      fix: 'Stop reading at a limit and answer 413: MAX_CONTENT_LENGTH in Flask, DATA_UPLOAD_MAX_MEMORY_SIZE in Django, http.MaxBytesReader in Go, bodyLimit in Fastify. Otherwise anyone can fill the memory of the receiver without a signature.',
    },
  ),
  must(
    'body.unsigned-not-json',
    rejects('a body that is not an event and not signed', () =>
      ['{"event_id":', '', '\u0000', ...NO_EVENTS].map((text) => ({
        what: JSON.stringify(text),
        body: text,
        signer: strangerSigner(),
      })),
    ),
    '§5, receiver rule 6',
    {
      fix: 'Verify the signature before you parse the body. Answer 401 if the signature is not valid; the body does not matter.',
      requires: 'signature.wrong-secret',
    },
  ),
  should(
    'body.empty',
    acceptsOrRejects('a signed empty body', () => ({ body: '' })),
    SHAPE,
    {
      fix: PARSE_SAFELY,
    },
  ),
  should(
    'body.not-json',
    acceptsOrRejects('a signed body that is not JSON', () =>
      ['{"event_id":', 'hello', '\ufeff{}'].map((text) => ({ what: JSON.stringify(text), body: text })),
    ),
    SHAPE,
    {
      fix: PARSE_SAFELY,
    },
  ),
  should(
    'body.no-event',
    acceptsOrRejects('a signed body that is JSON but not an event', () =>
      NO_EVENTS.map((text) => ({ what: text, body: text })),
    ),
    SHAPE,
    {
      fix: PARSE_SAFELY,
    },
  ),
  should(
    'body.not-utf8',
    acceptsOrRejects('a signed body that is not UTF-8', () => ({
      body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    })),
    SHAPE,
    {
      fix: `Hash the bytes, not decoded text, and answer 400 if they are not UTF-8. ${VERIFY_RAW_BODY}`,
    },
  ),
])

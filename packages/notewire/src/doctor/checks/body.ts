import { RAW_BODY_ADVICE } from '../../captured/raw-body-advice.ts'
import { accepts, acceptsOrRejects, answers, group, must, rejects, should } from '../check.ts'
import { eventBody, strangerSigner, testEvent, testId } from '../delivery.ts'
import { isRejected } from '../send.ts'

const RULE_1 = '§5, receiver rule 1'
const SHAPE = '§6, request body shape'
const SIZE = 'open point 25'

const PARSE_SAFELY =
  'After the verification, catch the error of the JSON parser and answer 400. Check event_id, event_type and data before you use them.'

/** Open point 25: receivers should accept bodies of this size. */
const LARGE_BODY_BYTES = 256 * 1024 - 16

/** Far more than any notification has. */
const HUGE_BODY_BYTES = 4 * 1024 * 1024

export const bodyChecks = group('Bodies', [
  must('body.spaces', 'A body with indentation and another order of keys is accepted (2xx)', RULE_1, {
    fix: RAW_BODY_ADVICE,
    run: accepts(({ acceptedKind = '' }) => {
      const { event_id, event_type, occurred_at, data } = testEvent(acceptedKind)
      return { body: JSON.stringify({ occurred_at, data, event_type, event_id }, null, 3).replaceAll('":', '" :') }
    }),
  }),
  must('body.line-breaks', 'A body that starts and ends with line breaks is accepted (2xx)', RULE_1, {
    fix: `${RAW_BODY_ADVICE} Do not trim the body.`,
    run: accepts(({ acceptedKind }) => ({ body: `\r\n ${eventBody(acceptedKind)}\r\n` })),
  }),
  must('body.non-ascii', 'A body with characters outside ASCII (é, emoji, U+2028) is accepted (2xx)', RULE_1, {
    fix: `${RAW_BODY_ADVICE} If you hash text, encode it as UTF-8, not as Latin-1 or ASCII.`,
    run: accepts(({ acceptedKind }) => ({
      body: eventBody(acceptedKind, {}, { event_id: `${testId('event')}_\u00e9\u{1F4DD}\u2028` }),
    })),
  }),
  must('body.escapes', 'A body with escaped characters (\\u005f) is accepted (2xx)', RULE_1, {
    fix: RAW_BODY_ADVICE,
    run: accepts(({ acceptedKind }) => ({ body: eventBody(acceptedKind).replaceAll('doctor_', 'doctor\\u005f') })),
  }),
  should('body.large', 'A body of just under 256 KiB is accepted (2xx)', SIZE, {
    fix: "Raise the limit to 256 KiB for this route: client_max_body_size in nginx, express.raw({ limit: '256kb' }) in Express, whose default is 100 kB.",
    requires: 'body.line-breaks',
    run: accepts(({ acceptedKind }) => ({ body: eventBody(acceptedKind).padEnd(LARGE_BODY_BYTES) })),
  }),
  should('body.too-large', 'A body of 4 MiB, far larger than any notification, is rejected (4xx)', SIZE, {
    fix: 'Stop reading at a limit and answer 413: MAX_CONTENT_LENGTH in Flask, DATA_UPLOAD_MAX_MEMORY_SIZE in Django, http.MaxBytesReader in Go, bodyLimit in Fastify. Otherwise anyone can fill the memory of the receiver without a signature.',
    run: answers(
      'a 4xx',
      (reply) => isRejected(reply) || reply.kind === 'closed',
      ({ acceptedKind }) => ({ body: eventBody(acceptedKind).padEnd(HUGE_BODY_BYTES) }),
    ),
  }),
  must('body.unsigned-not-json', 'A body that is not JSON and not signed is rejected (4xx)', '§5, receiver rule 6', {
    fix: 'Verify the signature before you parse the body. Answer 401 if the signature is not valid; the body does not matter.',
    requires: 'signature.wrong-secret',
    run: rejects(() => ['{"event_id":', '', '\u0000'].map((text) => ({ body: text, signer: strangerSigner() }))),
  }),
  should('body.empty', 'A signed empty body causes no error', SHAPE, {
    fix: PARSE_SAFELY,
    run: acceptsOrRejects(() => ({ body: '' })),
  }),
  should('body.not-json', 'A signed body that is not JSON causes no error', SHAPE, {
    fix: PARSE_SAFELY,
    run: acceptsOrRejects(() => ['{"event_id":', 'hello', '\ufeff{}'].map((text) => ({ body: text }))),
  }),
  should('body.no-event', 'A signed body that is JSON but not an event causes no error', SHAPE, {
    fix: PARSE_SAFELY,
    run: acceptsOrRejects(() =>
      ['null', '7', '[]', '{}', '{"event_type":"note.ended"}'].map((text) => ({ body: text })),
    ),
  }),
  should('body.not-utf8', 'A signed body that is not UTF-8 causes no error', SHAPE, {
    fix: `Hash the bytes, not decoded text, and answer 400 if they are not UTF-8. ${RAW_BODY_ADVICE}`,
    run: acceptsOrRejects(() => ({ body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) })),
  }),
])

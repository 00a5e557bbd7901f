import type { CheckGroup } from '../check.ts'
import { held, missed } from '../check.ts'
import { isAccepted, isRefused, isTakenOrRefused } from '../expectations.ts'
import { VERIFY_RAW_BYTES } from '../fixes.ts'
import { madeUpEvent, madeUpId } from '../made-up-event.ts'
import { describeExchange, isRefusal } from '../reply.ts'
import { strangerSigner } from '../signer.ts'

const RULE_1 = '§5, receiver rule 1'
const SHAPE = '§6, request body shape'

const PARSE_AFTER_VERIFYING =
  'Catch what the JSON parser throws and answer 400; look at event_id, event_type and data before you use them.'

/** Open point 25: what a receiver should take. */
const LARGE_BODY_BYTES = 256 * 1024 - 16

/** What no notification comes near: any sensible limit is below it. */
const HUGE_BODY_BYTES = 4 * 1024 * 1024

/** The bytes that are signed (contract §5, receiver rule 1; §6). */
export const body: CheckGroup = {
  title: 'Bodies',
  checks: [
    {
      id: 'body.spaces',
      title: 'A body with indentation and another order of keys is accepted',
      section: RULE_1,
      severity: 'must',
      fix: VERIFY_RAW_BYTES,
      examine: isAccepted(({ acceptedKind = '' }) => {
        const { event_id, event_type, occurred_at, data } = madeUpEvent(acceptedKind)
        return { body: JSON.stringify({ occurred_at, data, event_type, event_id }, null, 3).replaceAll('":', '" :') }
      }),
    },
    {
      id: 'body.line-breaks',
      title: 'A body with line breaks before and after it is accepted',
      section: RULE_1,
      severity: 'must',
      fix: `${VERIFY_RAW_BYTES} Do not trim.`,
      examine: isAccepted(({ acceptedKind = '' }) => ({
        body: `\r\n ${JSON.stringify(madeUpEvent(acceptedKind))}\r\n`,
      })),
    },
    {
      id: 'body.non-ascii',
      title: 'A body with characters outside ASCII (é, emoji, U+2028) is accepted',
      section: RULE_1,
      severity: 'must',
      fix: `${VERIFY_RAW_BYTES} Where you hash text, it must be the UTF-8 of the body, not Latin-1 or ASCII.`,
      examine: isAccepted(({ acceptedKind = '' }) => ({
        body: JSON.stringify(madeUpEvent(acceptedKind, { eventId: `${madeUpId('event')}_\u00e9\u{1F4DD}\u2028` })),
      })),
    },
    {
      id: 'body.escapes',
      title: 'A body with escaped characters (\\u005f) is accepted',
      section: RULE_1,
      severity: 'must',
      fix: VERIFY_RAW_BYTES,
      examine: isAccepted(({ acceptedKind = '' }) => ({
        body: JSON.stringify(madeUpEvent(acceptedKind)).replaceAll('doctor_', 'doctor\\u005f'),
      })),
    },
    {
      id: 'body.large',
      title: 'A body of just under 256 KiB is accepted',
      section: 'open point 25',
      severity: 'should',
      fix: "Raise the limit to 256 KiB on this route: express.raw({ limit: '256kb' }), where Express stops at 100 kB; client_max_body_size in nginx.",
      presupposes: 'body.line-breaks',
      examine: isAccepted(({ acceptedKind = '' }) =>
        padded(JSON.stringify(madeUpEvent(acceptedKind)), LARGE_BODY_BYTES),
      ),
    },
    {
      id: 'body.too-large',
      title: 'A body far larger than any notification (4 MiB) is refused with a 4xx',
      section: 'open point 25',
      severity: 'should',
      fix: 'Stop reading at a limit and answer 413: bodyLimit in Fastify, MAX_CONTENT_LENGTH in Flask, DATA_UPLOAD_MAX_MEMORY_SIZE in Django, http.MaxBytesReader in Go. Whoever can fill your memory needs no signature.',
      examine: async ({ acceptedKind = '', deliver }) => {
        const exchange = await deliver(padded(JSON.stringify(madeUpEvent(acceptedKind)), HUGE_BODY_BYTES))
        const seen = describeExchange(exchange)
        const isTurnedAway = isRefusal(exchange.reply) || exchange.reply.kind === 'closed'
        return isTurnedAway ? held(seen) : missed(exchange, `${seen}, where a 4xx is due`)
      },
    },
    {
      id: 'body.unsigned-not-json',
      title: 'An unsigned body that is no JSON is refused with a 4xx',
      section: '§5, receiver rule 6',
      severity: 'must',
      fix: 'Verify before you parse. What cannot be verified gets 401, whatever it holds.',
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() =>
        ['{"event_id":', '', '\u0000'].map((text) => ({ body: text, signer: strangerSigner() })),
      ),
    },
    {
      id: 'body.empty',
      title: 'A signed body that is empty breaks nothing',
      section: SHAPE,
      severity: 'should',
      fix: PARSE_AFTER_VERIFYING,
      examine: isTakenOrRefused(() => ({ body: '' })),
    },
    {
      id: 'body.not-json',
      title: 'A signed body that is no JSON breaks nothing',
      section: SHAPE,
      severity: 'should',
      fix: PARSE_AFTER_VERIFYING,
      examine: isTakenOrRefused(() => ['{"event_id":', 'hello', '\ufeff{}'].map((text) => ({ body: text }))),
    },
    {
      id: 'body.no-event',
      title: 'A signed body that is JSON but no event breaks nothing',
      section: SHAPE,
      severity: 'should',
      fix: PARSE_AFTER_VERIFYING,
      examine: isTakenOrRefused(() =>
        ['null', '7', '[]', '{}', '{"event_type":"note.ended"}'].map((text) => ({ body: text })),
      ),
    },
    {
      id: 'body.not-utf8',
      title: 'A signed body that is no UTF-8 breaks nothing',
      section: SHAPE,
      severity: 'should',
      fix: `Hash the bytes, not a text made of them, and answer 400 when they are no UTF-8. ${VERIFY_RAW_BYTES}`,
      examine: isTakenOrRefused(() => ({ body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) })),
    },
  ],
}

function padded(text: string, size: number) {
  return { body: text, trailingSpaces: size - Buffer.byteLength(text) }
}

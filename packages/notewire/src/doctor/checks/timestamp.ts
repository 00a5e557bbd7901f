import { type CheckGroup, type Examine, held, missed } from '../check.ts'
import { secondsFromNow } from '../delivery.ts'
import { isRefused } from '../expectations.ts'
import { describeExchange, isAcknowledged, isRefusal, type Reply } from '../reply.ts'

const RULE_5 = '§5, receiver rule 5'

const BOTH_WAYS =
  'Refuse when Math.abs(now - timestamp) is over 300, both in Unix seconds: old deliveries could be repeated, and one dated ahead could be kept for later.'

const PLAIN_DIGITS =
  'Read webhook-timestamp as plain digits (/^\\d+$/) before you compare: parseInt reads "123junk", Number reads "1e9", and no comparison with NaN is ever true.'

/** How clocks may differ: what is refused at the limit by one clock may be within it by another. */
const CLOCK_MARGIN_SECONDS = 30

/** When a delivery was signed (contract §5, receiver rule 5). */
export const timestamp: CheckGroup = {
  title: 'Timestamps',
  checks: [
    {
      id: 'timestamp.stale',
      title: 'A delivery signed 301 s ago is refused with a 4xx',
      section: RULE_5,
      severity: 'must',
      fix: BOTH_WAYS,
      examine: isRefusedAt(-301, -CLOCK_MARGIN_SECONDS),
    },
    {
      id: 'timestamp.future',
      title: 'A delivery signed more than 300 s ahead is refused with a 4xx',
      section: RULE_5,
      severity: 'must',
      fix: BOTH_WAYS,
      // On its way to the receiver it comes a little nearer to now.
      examine: isRefusedAt(303, CLOCK_MARGIN_SECONDS),
    },
    {
      id: 'timestamp.oldest-allowed',
      title: 'A delivery signed 295 s ago is accepted',
      section: RULE_5,
      severity: 'must',
      fix: 'Allow 300 s either way, and keep the clock of the receiver right (NTP).',
      examine: isAcceptedAt(-295, CLOCK_MARGIN_SECONDS),
    },
    {
      id: 'timestamp.newest-allowed',
      title: 'A delivery signed 295 s ahead is accepted',
      section: RULE_5,
      severity: 'must',
      fix: 'Allow 300 s either way, and keep the clock of the receiver right (NTP).',
      examine: isAcceptedAt(295, -CLOCK_MARGIN_SECONDS),
    },
    {
      id: 'timestamp.no-number',
      title: 'A timestamp that is no number is refused with a 4xx',
      section: RULE_5,
      severity: 'must',
      fix: PLAIN_DIGITS,
      presupposes: 'timestamp.stale',
      examine: isRefused(() => ['now', 'NaN', new Date().toISOString()].map((timestamp) => ({ timestamp }))),
    },
    {
      id: 'timestamp.negative',
      title: 'A negative timestamp is refused with a 4xx',
      section: RULE_5,
      severity: 'must',
      fix: BOTH_WAYS,
      presupposes: 'timestamp.stale',
      examine: isRefused(() => ({ timestamp: `-${secondsFromNow(0)}` })),
    },
    {
      id: 'timestamp.milliseconds',
      title: 'A timestamp in milliseconds is refused with a 4xx',
      section: '§5, webhook-timestamp',
      severity: 'must',
      fix: 'webhook-timestamp is in seconds: compare it with Date.now() / 1000, time.time(), time.Now().Unix().',
      presupposes: 'timestamp.stale',
      examine: isRefused(() => ({ timestamp: String(Date.now()) })),
    },
    {
      id: 'timestamp.junk-behind',
      title: 'A timestamp with something behind its digits is refused with a 4xx',
      section: '§5, webhook-timestamp',
      severity: 'should',
      fix: PLAIN_DIGITS,
      presupposes: 'timestamp.stale',
      examine: isRefused(() => ({ timestamp: `${secondsFromNow(0)}junk` })),
    },
    {
      id: 'timestamp.other-notations',
      title: 'A timestamp as a fraction or with an exponent is refused with a 4xx',
      section: '§5, webhook-timestamp',
      severity: 'should',
      fix: PLAIN_DIGITS,
      presupposes: 'timestamp.stale',
      examine: isRefused(() => ['.5', 'e0'].map((tail) => ({ timestamp: secondsFromNow(0) + tail }))),
    },
  ],
}

interface Due {
  readonly isMet: (reply: Reply) => boolean
  readonly status: '2xx' | '4xx'
  /** What becomes of it with some seconds of margin, and what that tells of the receiver. */
  readonly withMargin: string
}

/** Refused at the limit; where that is not so, a little farther away tells a clock that is off from a missing check. */
function isRefusedAt(offsetSeconds: number, marginSeconds: number): Examine {
  const withMargin = 'refused: its clock is a few seconds off, or it allows a little more than 300 s'
  return isAnsweredAt(offsetSeconds, marginSeconds, { isMet: isRefusal, status: '4xx', withMargin })
}

/** Accepted within the limit; where that is not so, a little nearer tells the same. */
function isAcceptedAt(offsetSeconds: number, marginSeconds: number): Examine {
  const withMargin = 'accepted: its clock is a few seconds off, or it allows a little less than 300 s'
  return isAnsweredAt(offsetSeconds, marginSeconds, { isMet: isAcknowledged, status: '2xx', withMargin })
}

function isAnsweredAt(offsetSeconds: number, marginSeconds: number, { isMet, status, withMargin }: Due): Examine {
  return async ({ deliver }) => {
    const exchange = await deliver({ timestamp: secondsFromNow(offsetSeconds) })
    const seen = describeExchange(exchange)
    if (isMet(exchange.reply)) return held(seen)
    const again = await deliver({ timestamp: secondsFromNow(offsetSeconds + marginSeconds) })
    if (!isMet(again.reply)) return missed(exchange, `${seen}, where a ${status} is due`)
    const cause = `${Math.abs(offsetSeconds + marginSeconds)} s are ${withMargin}`
    return missed(exchange, seen, { cause, nearly: true })
  }
}

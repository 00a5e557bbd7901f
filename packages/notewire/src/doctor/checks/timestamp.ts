import { failed, group, must, passed, type RunCheck, rejects, should, warned } from '../check.ts'
import { secondsFromNow } from '../delivery.ts'
import { describeExchange, isAccepted, isRejected, type Reply } from '../send.ts'

const RULE_5 = '§5, receiver rule 5'
const WEBHOOK_TIMESTAMP = '§5, webhook-timestamp'

const COMPARE_BOTH_WAYS =
  'Reject a delivery if its timestamp is more than 300 s before or after the current Unix time in seconds. Otherwise an old delivery can be replayed, or one from the future can be kept for later.'

const ALLOW_300_SECONDS =
  'Accept timestamps up to 300 s before and after the current time, and synchronize the clock (NTP).'

const DIGITS_ONLY =
  'Check that webhook-timestamp consists of digits only before you parse it. Many parsers also read "123junk" or "1e9", and in most languages every comparison with NaN is false.'

/** The clocks of the receiver and of this machine may differ by this much before a check fails instead of warning. */
const CLOCK_MARGIN_SECONDS = 30

/** A delivery that takes longer is repeated: the receiver may have seen another age than this command sent. */
const SLOW_MS = 1_500

export const timestampChecks = group('Timestamps', [
  must('timestamp.stale', 'A delivery signed 301 s ago is rejected (4xx)', RULE_5, {
    fix: COMPARE_BOTH_WAYS,
    run: rejectsAt(-301, -CLOCK_MARGIN_SECONDS),
  }),
  must('timestamp.future', 'A delivery signed more than 300 s in the future is rejected (4xx)', RULE_5, {
    fix: COMPARE_BOTH_WAYS,
    // 303, because time passes until the receiver compares.
    run: rejectsAt(303, CLOCK_MARGIN_SECONDS),
  }),
  must('timestamp.oldest-allowed', 'A delivery signed 295 s ago is accepted (2xx)', RULE_5, {
    fix: ALLOW_300_SECONDS,
    run: acceptsAt(-295, CLOCK_MARGIN_SECONDS),
  }),
  must('timestamp.newest-allowed', 'A delivery signed 295 s in the future is accepted (2xx)', RULE_5, {
    fix: ALLOW_300_SECONDS,
    run: acceptsAt(295, -CLOCK_MARGIN_SECONDS),
  }),
  must('timestamp.no-number', 'A timestamp that is not a number is rejected (4xx)', RULE_5, {
    fix: DIGITS_ONLY,
    requires: 'timestamp.stale',
    run: rejects(() => ['now', 'NaN', new Date().toISOString()].map((timestamp) => ({ timestamp }))),
  }),
  must('timestamp.negative', 'A negative timestamp is rejected (4xx)', RULE_5, {
    fix: COMPARE_BOTH_WAYS,
    requires: 'timestamp.stale',
    run: rejects(() => ({ timestamp: `-${secondsFromNow(0)}` })),
  }),
  must('timestamp.milliseconds', 'A timestamp in milliseconds is rejected (4xx)', WEBHOOK_TIMESTAMP, {
    fix: 'webhook-timestamp is in seconds. Compare it with time.time() (Python), time.Now().Unix() (Go), Time.now.to_i (Ruby), Date.now() / 1000 (JavaScript).',
    requires: 'timestamp.stale',
    run: rejects(() => ({ timestamp: String(Date.now()) })),
  }),
  should('timestamp.trailing-junk', 'A timestamp with text after its digits is rejected (4xx)', WEBHOOK_TIMESTAMP, {
    fix: DIGITS_ONLY,
    requires: 'timestamp.stale',
    run: rejects(() => ({ timestamp: `${secondsFromNow(0)}junk` })),
  }),
  should('timestamp.other-notations', 'A timestamp with a fraction or exponent is rejected (4xx)', WEBHOOK_TIMESTAMP, {
    fix: DIGITS_ONLY,
    requires: 'timestamp.stale',
    run: rejects(() => ['.5', 'e0'].map((tail) => ({ timestamp: secondsFromNow(0) + tail }))),
  }),
])

function rejectsAt(offsetSeconds: number, marginSeconds: number): RunCheck {
  return answersAt('a 4xx', isRejected, offsetSeconds, marginSeconds)
}

function acceptsAt(offsetSeconds: number, marginSeconds: number): RunCheck {
  return answersAt('a 2xx', isAccepted, offsetSeconds, marginSeconds)
}

/** If the answer is wrong, repeats the delivery with a margin: then a clock that is a few seconds off only warns. */
function answersAt(
  expected: string,
  isExpected: (reply: Reply) => boolean,
  offsetSeconds: number,
  marginSeconds: number,
): RunCheck {
  return async ({ deliver }) => {
    let exchange = await deliver({ timestamp: secondsFromNow(offsetSeconds) })
    // The receiver may have compared the timestamp at the end of this time.
    for (let tries = 1; tries < 3 && !isExpected(exchange.reply) && exchange.tookMs > SLOW_MS; tries += 1) {
      exchange = await deliver({ timestamp: secondsFromNow(offsetSeconds) })
    }
    const seen = describeExchange(exchange)
    if (isExpected(exchange.reply)) return passed(seen)
    const withMargin = await deliver({ timestamp: secondsFromNow(offsetSeconds + marginSeconds) })
    if (!isExpected(withMargin.reply)) return failed(exchange, `${seen}; expected ${expected}`)
    const distance = Math.abs(offsetSeconds + marginSeconds)
    const cause = `it answers ${expected} at ${distance} s: its clock is a few seconds off, or its limit is not exactly 300 s`
    return warned(exchange, `${seen}; expected ${expected}`, cause)
  }
}

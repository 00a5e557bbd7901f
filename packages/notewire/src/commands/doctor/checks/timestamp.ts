import { ACCEPTED, type Expectation, failed, group, must, passed, REJECTED, should, warned } from '../check.ts'
import { secondsFromNow } from '../delivery.ts'
import type { Examination } from '../examination.ts'
import { describeExchange, type Exchange } from '../send.ts'

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
  must('timestamp.ancient', 'a delivery signed a year ago', RULE_5, {
    fix: COMPARE_BOTH_WAYS,
    rejects: () => ({ timestamp: secondsFromNow(-31_536_000) }),
  }),
  must('timestamp.stale', 'a delivery signed 301 s ago', RULE_5, {
    fix: COMPARE_BOTH_WAYS,
    ...answersAt(REJECTED, -301, -CLOCK_MARGIN_SECONDS),
  }),
  // 303, because time passes until the receiver compares.
  must('timestamp.future', 'a delivery signed more than 300 s in the future', RULE_5, {
    fix: COMPARE_BOTH_WAYS,
    ...answersAt(REJECTED, 303, CLOCK_MARGIN_SECONDS),
  }),
  must('timestamp.oldest-allowed', 'a delivery signed 295 s ago', RULE_5, {
    fix: ALLOW_300_SECONDS,
    ...answersAt(ACCEPTED, -295, CLOCK_MARGIN_SECONDS),
  }),
  must('timestamp.newest-allowed', 'a delivery signed 295 s in the future', RULE_5, {
    fix: ALLOW_300_SECONDS,
    ...answersAt(ACCEPTED, 295, -CLOCK_MARGIN_SECONDS),
  }),
  must('timestamp.no-number', 'a timestamp that is not a number', RULE_5, {
    fix: DIGITS_ONLY,
    requires: 'timestamp.stale',
    rejects: () => ['now', 'NaN', new Date().toISOString()].map((timestamp) => ({ what: timestamp, timestamp })),
  }),
  must('timestamp.negative', 'a negative timestamp', RULE_5, {
    fix: COMPARE_BOTH_WAYS,
    requires: 'timestamp.stale',
    rejects: () => ({ timestamp: `-${secondsFromNow(0)}` }),
  }),
  must('timestamp.milliseconds', 'a timestamp in milliseconds', WEBHOOK_TIMESTAMP, {
    fix: 'webhook-timestamp is in seconds. Compare it with time.time() (Python), time.Now().Unix() (Go), Time.now.to_i (Ruby), Date.now() / 1000 (JavaScript).',
    requires: 'timestamp.stale',
    rejects: () => ({ timestamp: String(Date.now()) }),
  }),
  should('timestamp.trailing-junk', 'a timestamp with text after its digits', WEBHOOK_TIMESTAMP, {
    fix: DIGITS_ONLY,
    requires: 'timestamp.stale',
    rejects: () => ({ timestamp: `${secondsFromNow(0)}junk` }),
  }),
  should('timestamp.other-notations', 'a timestamp with a sign, fraction or exponent', WEBHOOK_TIMESTAMP, {
    fix: DIGITS_ONLY,
    requires: 'timestamp.stale',
    rejects: () =>
      [`+${secondsFromNow(0)}`, `${secondsFromNow(0)}.5`, `${secondsFromNow(0)}e0`].map((timestamp) => ({
        what: timestamp,
        timestamp,
      })),
  }),
])

/** If the answer is wrong, repeats the delivery with a margin: then a clock that is a few seconds off only warns. */
function answersAt(expects: Expectation, offsetSeconds: number, marginSeconds: number) {
  const at = (seconds: number) => ({ timestamp: secondsFromNow(seconds) })
  return {
    expects,
    sends: () => at(offsetSeconds),
    diagnose: async ({ deliver }: Examination, first: Exchange, seen: string) => {
      let exchange = first
      // The receiver may have compared the timestamp at the end of this time.
      for (let tries = 1; tries < 3 && exchange.tookMs > SLOW_MS; tries += 1) {
        exchange = await deliver(at(offsetSeconds))
        if (expects.isMetBy(exchange.reply)) return passed(describeExchange(exchange))
      }
      const withMargin = await deliver(at(offsetSeconds + marginSeconds))
      if (!expects.isMetBy(withMargin.reply)) return failed(exchange, seen)
      const distance = Math.abs(offsetSeconds + marginSeconds)
      const cause = `it answers ${expects.answer} at ${distance} s: its clock is a few seconds off, or its limit is not exactly 300 s`
      return warned(exchange, seen, cause)
    },
  }
}

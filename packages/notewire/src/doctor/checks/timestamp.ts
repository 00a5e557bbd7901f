import {
  ACCEPTED,
  type Expectation,
  failed,
  group,
  must,
  passed,
  REJECTED,
  rejects,
  type Statement,
  sentencesOn,
  should,
  warned,
} from '../check.ts'
import { secondsFromNow } from '../delivery.ts'
import { describeExchange } from '../send.ts'

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
  must('timestamp.stale', answersAt('a delivery signed 301 s ago', REJECTED, -301, -CLOCK_MARGIN_SECONDS), RULE_5, {
    fix: COMPARE_BOTH_WAYS,
  }),
  // 303, because time passes until the receiver compares.
  must(
    'timestamp.future',
    answersAt('a delivery signed more than 300 s in the future', REJECTED, 303, CLOCK_MARGIN_SECONDS),
    RULE_5,
    {
      fix: COMPARE_BOTH_WAYS,
    },
  ),
  must(
    'timestamp.oldest-allowed',
    answersAt('a delivery signed 295 s ago', ACCEPTED, -295, CLOCK_MARGIN_SECONDS),
    RULE_5,
    {
      fix: ALLOW_300_SECONDS,
    },
  ),
  must(
    'timestamp.newest-allowed',
    answersAt('a delivery signed 295 s in the future', ACCEPTED, 295, -CLOCK_MARGIN_SECONDS),
    RULE_5,
    {
      fix: ALLOW_300_SECONDS,
    },
  ),
  must(
    'timestamp.no-number',
    rejects('a timestamp that is not a number', () =>
      ['now', 'NaN', new Date().toISOString()].map((timestamp) => ({ what: timestamp, timestamp })),
    ),
    RULE_5,
    {
      fix: DIGITS_ONLY,
      requires: 'timestamp.stale',
    },
  ),
  must(
    'timestamp.negative',
    rejects('a negative timestamp', () => ({ timestamp: `-${secondsFromNow(0)}` })),
    RULE_5,
    {
      fix: COMPARE_BOTH_WAYS,
      requires: 'timestamp.stale',
    },
  ),
  must(
    'timestamp.milliseconds',
    rejects('a timestamp in milliseconds', () => ({ timestamp: String(Date.now()) })),
    WEBHOOK_TIMESTAMP,
    {
      fix: 'webhook-timestamp is in seconds. Compare it with time.time() (Python), time.Now().Unix() (Go), Time.now.to_i (Ruby), Date.now() / 1000 (JavaScript).',
      requires: 'timestamp.stale',
    },
  ),
  should(
    'timestamp.trailing-junk',
    rejects('a timestamp with text after its digits', () => ({ timestamp: `${secondsFromNow(0)}junk` })),
    WEBHOOK_TIMESTAMP,
    {
      fix: DIGITS_ONLY,
      requires: 'timestamp.stale',
    },
  ),
  should(
    'timestamp.other-notations',
    rejects('a timestamp with a sign, fraction or exponent', () =>
      [`+${secondsFromNow(0)}`, `${secondsFromNow(0)}.5`, `${secondsFromNow(0)}e0`].map((timestamp) => ({
        what: timestamp,
        timestamp,
      })),
    ),
    WEBHOOK_TIMESTAMP,
    {
      fix: DIGITS_ONLY,
      requires: 'timestamp.stale',
    },
  ),
])

/** If the answer is wrong, repeats the delivery with a margin: then a clock that is a few seconds off only warns. */
function answersAt(subject: string, expectation: Expectation, offsetSeconds: number, marginSeconds: number): Statement {
  const { answer, isMetBy } = expectation
  return {
    ...sentencesOn(subject, expectation),
    run: async ({ deliver }) => {
      let exchange = await deliver({ timestamp: secondsFromNow(offsetSeconds) })
      // The receiver may have compared the timestamp at the end of this time.
      for (let tries = 1; tries < 3 && !isMetBy(exchange.reply) && exchange.tookMs > SLOW_MS; tries += 1) {
        exchange = await deliver({ timestamp: secondsFromNow(offsetSeconds) })
      }
      const seen = describeExchange(exchange)
      if (isMetBy(exchange.reply)) return passed(seen)
      const withMargin = await deliver({ timestamp: secondsFromNow(offsetSeconds + marginSeconds) })
      if (!isMetBy(withMargin.reply)) return failed(exchange, `${seen}; expected ${answer}`)
      const distance = Math.abs(offsetSeconds + marginSeconds)
      const cause = `it answers ${answer} at ${distance} s: its clock is a few seconds off, or its limit is not exactly 300 s`
      return warned(exchange, `${seen}; expected ${answer}`, cause)
    },
  }
}

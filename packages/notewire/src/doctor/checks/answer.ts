import {
  accepts,
  answers,
  failed,
  group,
  must,
  NOT_ROUTED,
  notTested,
  type Outcome,
  passed,
  should,
  warned,
} from '../check.ts'
import { isLarge, type Secret } from '../delivery.ts'
import { type Examination, isSlow } from '../examination.ts'
import { describeExchange, type Exchange, isAccepted, seconds } from '../send.ts'

export const answerChecks = group('Answers', [
  must(
    'answer.in-time',
    {
      title: 'Every answer arrives within 10 s',
      problem: 'answers too slowly',
      run: testResponseTimes,
    },
    '§8, receiver response deadline',
    {
      fix: 'Store the event, answer 204, and process it later: with a job queue (Celery, Sidekiq, BullMQ, pg-boss), or a table and a worker. Fetch transcripts there, not before the answer.',
      always: true,
    },
  ),
  must(
    'answer.leaks-nothing',
    {
      title: 'No answer contains a valid signature or the secret',
      problem: 'answers with the valid signature or with the secret',
      run: testLeaks,
    },
    '§5, webhook signatures',
    {
      fix: 'Answer 401 without a reason, and write the reason to your log. Anyone who sees the valid signature can send that delivery.',
    },
  ),
  should(
    'answer.get',
    answers('a GET request', NOT_ROUTED, () => ({ method: 'GET', body: '' })),
    '§7',
    {
      fix: 'Route only POST; the reference receivers answer 404 to other methods.',
    },
  ),
  should(
    'answer.wrong-path',
    answers('a delivery to another path', NOT_ROUTED, ({ url }) => ({ url: new URL('doctor-was-here', url) })),
    '§7',
    {
      fix: 'Route only the registered path; the reference receivers answer 404 to other paths.',
    },
  ),
  must(
    'answer.still-there',
    accepts('a valid delivery after all checks', () => ({})),
    '§4, receiver contract',
    {
      fix: 'One of the checks stopped the receiver or occupied its last worker. Read its log, catch the errors of the handlers, and limit the time for reading a body.',
    },
  ),
])

async function testResponseTimes({ exchanges, limits }: Examination): Promise<Outcome> {
  const usual = exchanges.filter(({ delivery }) => !isLarge(delivery))
  const [slowest] = usual.toSorted((one, other) => other.tookMs - one.tookMs)
  if (slowest === undefined || slowest.reply.kind === 'unreachable') return notTested('the receiver did not answer')
  const unanswered = usual.find(({ reply }) => reply.kind === 'timed-out')
  if (unanswered !== undefined) return failed(unanswered, describeExchange(unanswered), describeExchange(unanswered))
  const seen = `the slowest answer took ${seconds(slowest.tookMs)}`
  if (!isSlow(slowest, limits)) return passed(seen)
  return warned(slowest, seen, `${seconds(slowest.tookMs)}, and the service waits for 10 s`)
}

/** Looks at the beginning of every answer: error pages leak, too, not only rejections. */
async function testLeaks({ exchanges, secrets }: Examination): Promise<Outcome> {
  for (const exchange of exchanges) {
    const leak = secrets.map((secret) => leakOf(secret, exchange)).find((each) => each !== undefined)
    if (leak !== undefined) return failed(exchange, `the answer contains the ${leak}`)
  }
  return passed('no answer contains either')
}

function leakOf({ encodedKey, signer }: Secret, { reply, delivery }: Exchange): string | undefined {
  if (reply.kind !== 'answered' || isLarge(delivery)) return undefined
  if (reply.bodyStart.includes(encodedKey)) return 'secret'
  const {
    'webhook-id': id = '',
    'webhook-timestamp': timestamp = '',
    'webhook-signature': sent = '',
  } = delivery.headers
  const valid = signer.sign(id, timestamp, delivery.body)
  // An answer that repeats what was sent shows nothing new.
  if (isAccepted(reply) || sent.includes(valid)) return undefined
  const isShown = (['base64', 'base64url', 'hex'] as const).some((encoding) =>
    reply.bodyStart.includes(Buffer.from(valid, 'base64').toString(encoding)),
  )
  return isShown ? 'valid signature' : undefined
}

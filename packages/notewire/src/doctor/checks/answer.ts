import {
  accepts,
  answers,
  type Draft,
  failed,
  group,
  must,
  notTested,
  type Outcome,
  passed,
  type RunCheck,
  should,
  warned,
} from '../check.ts'
import { eventBody, isLarge } from '../delivery.ts'
import type { Examination } from '../examination.ts'
import { describeExchange, isRejected, seconds } from '../send.ts'

export const answerChecks = group('Answers', [
  must('answer.in-time', 'Every answer arrives within 10 s', '§8, receiver response deadline', {
    fix: 'Store the event, answer 204, and process it later: with a job queue (Celery, Sidekiq, BullMQ, pg-boss), or a table and a worker. Fetch transcripts there, not before the answer.',
    always: true,
    run: testResponseTimes,
  }),
  must('answer.leaks-nothing', 'A rejection contains no valid signature and no secret', '§5, webhook signatures', {
    fix: 'Answer 401 without a reason, and write the reason to your log. Anyone who sees the valid signature can send that delivery.',
    run: testLeaks,
  }),
  should('answer.get', 'GET on the path is rejected (4xx)', '§7', {
    fix: 'Route only POST; the reference receivers answer 404 to other methods.',
    run: isNotRouted(() => ({ method: 'GET', body: '' })),
  }),
  should('answer.wrong-path', 'A delivery to another path is rejected (4xx)', '§7', {
    fix: 'Route only the registered path; the reference receivers answer 404 to other paths.',
    run: isNotRouted(({ url }) => ({ url: new URL('doctor-was-here', url) })),
  }),
  must('answer.still-there', 'After all checks, a valid delivery is still accepted (2xx)', '§4, receiver contract', {
    fix: 'One of the checks stopped the receiver or occupied its last worker. Read its log, catch the errors of the handlers, and limit the time for reading a body.',
    run: accepts(() => ({})),
  }),
])

async function testResponseTimes({ exchanges, limits }: Examination): Promise<Outcome> {
  const usual = exchanges.filter(({ delivery }) => !isLarge(delivery))
  const [slowest] = usual.toSorted((one, other) => other.tookMs - one.tookMs)
  if (slowest === undefined || slowest.reply.kind === 'unreachable') return notTested('the receiver did not answer')
  if (slowest.reply.kind === 'timed-out') return failed(slowest, describeExchange(slowest))
  const seen = `the slowest answer took ${seconds(slowest.tookMs)}`
  if (slowest.tookMs < limits.answerSoonMs) return passed(seen)
  return warned(slowest, seen, `more than ${seconds(limits.answerSoonMs)} is close to the deadline`)
}

async function testLeaks({ deliver, secrets: [{ text, signer }] }: Examination): Promise<Outcome> {
  const body = eventBody('note.updated', { revision: 1 })
  const exchange = await deliver({ body, sentBody: body.replace('"revision":1', '"revision":2') })
  if (exchange.reply.kind !== 'answered') return notTested(describeExchange(exchange))
  const { headers, body: sent } = exchange.delivery
  const valid = signer.sign(headers['webhook-id'] ?? '', headers['webhook-timestamp'] ?? '', sent)
  const { bodyStart } = exchange.reply
  const showsSignature = (['base64', 'base64url', 'hex'] as const).some((encoding) =>
    bodyStart.includes(Buffer.from(valid, 'base64').toString(encoding)),
  )
  if (showsSignature) return failed(exchange, 'the answer contains the valid signature')
  if (bodyStart.includes(text)) return failed(exchange, 'the answer contains the secret')
  return passed('the answer contains neither')
}

/** Passes for a 4xx, and for the 501 of a server that does not know the method. */
function isNotRouted(draft: Draft): RunCheck {
  return answers('a 4xx', (reply) => isRejected(reply) || (reply.kind === 'answered' && reply.status === 501), draft)
}

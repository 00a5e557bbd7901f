import { failed, group, must, NOT_ROUTED, notTested, type Outcome, passed, should, warned } from '../check.ts'
import { isLarge, type Secret } from '../delivery.ts'
import { type Examination, isSlow } from '../examination.ts'
import { describeExchange, type Exchange, isAccepted, seconds } from '../send.ts'

export const answerChecks = group('Answers', [
  must('answer.in-time', 'Every answer arrives within 10 s', '§8, receiver response deadline', {
    fix: 'Store the event, answer 204, and process it later: with a job queue (Celery, Sidekiq, BullMQ, pg-boss), or a table and a worker. Fetch transcripts there, not before the answer.',
    always: true,
    problem: 'answers too slowly',
    run: testResponseTimes,
  }),
  must('answer.leaks-nothing', 'No answer contains a valid signature or the secret', '§5, webhook signatures', {
    fix: 'Answer 401 without a reason, and write the reason to your log. Anyone who sees the valid signature can send that delivery.',
    problem: 'answers with the valid signature or with the secret',
    run: testLeaks,
  }),
  should('answer.get', 'a GET request', '§7', {
    fix: 'Route only POST; the reference receivers answer 404 to other methods.',
    expects: NOT_ROUTED,
    sends: () => ({ method: 'GET', body: '' }),
  }),
  should('answer.wrong-path', 'a delivery to another path', '§7', {
    fix: 'Route only the registered path; the reference receivers answer 404 to other paths.',
    expects: NOT_ROUTED,
    sends: ({ url }) => ({ url: new URL('doctor-was-here', url) }),
  }),
  must('answer.still-there', 'a valid delivery after all checks', '§4, receiver contract', {
    fix: 'One of the checks stopped the receiver or occupied its last worker. Read its log, catch the errors of the handlers, and limit the time for reading a body.',
    accepts: () => ({}),
  }),
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

/** Looks at the headers and the beginning of every answer: error pages leak, too, not only rejections. */
async function testLeaks({ exchanges, secrets }: Examination): Promise<Outcome> {
  for (const exchange of exchanges) {
    const leak = secrets.map((secret) => leakOf(secret, exchange)).find((each) => each !== undefined)
    if (leak !== undefined) return failed(exchange, `the answer contains the ${leak}`)
  }
  return passed('no answer contains either')
}

function leakOf({ key, signer }: Secret, { reply, delivery }: Exchange): string | undefined {
  if (reply.kind !== 'answered' || isLarge(delivery)) return undefined
  const { shown } = reply
  if (spellingsOf(key).some((spelling) => shown.includes(spelling)) || isInHex(key, shown)) return 'secret'
  const {
    'webhook-id': id = '',
    'webhook-timestamp': timestamp = '',
    'webhook-signature': sent = '',
  } = delivery.headers
  const valid = signer.sign(id, timestamp, delivery.body)
  // An answer that repeats what was sent shows nothing new.
  if (isAccepted(reply) || sent.includes(valid)) return undefined
  const isShown = (['base64', 'base64url', 'hex'] as const).some((encoding) =>
    shown.includes(Buffer.from(valid, 'base64').toString(encoding)),
  )
  return isShown ? 'valid signature' : undefined
}

/** How a program may show a key: as the service does, in standard base64, as Python's `repr`, and as numbers. */
function spellingsOf(key: Buffer): readonly string[] {
  const base64 = key.toString('base64').replace(/(?<!=)=+$/, '')
  return [key.toString('base64url'), base64, reprOf(key), key.join(' '), key.join(','), key.join(', ')]
}

/** In hex, also as `<Buffer fb ef …>`, `fb:ef:…` and `\\xfb\\xef…`. */
function isInHex(key: Buffer, shown: string): boolean {
  return shown
    .replaceAll(/\\x|0x|[\s:,-]/g, '')
    .toLowerCase()
    .includes(key.toString('hex'))
}

function reprOf(key: Buffer): string {
  const named: Readonly<Record<number, string>> = { 9: '\\t', 10: '\\n', 13: '\\r', 92: '\\\\' }
  const spelled = (byte: number) =>
    byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`
  return Array.from(key, (byte) => named[byte] ?? spelled(byte)).join('')
}

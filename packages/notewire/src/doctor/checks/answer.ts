import type { Bench } from '../bench.ts'
import { type CheckGroup, type Examine, held, missed, type Observation, untested } from '../check.ts'
import { bytesOf, type Delivery } from '../delivery.ts'
import { madeUpEvent } from '../made-up-event.ts'
import { describeExchange, type Exchange, isAcknowledged, isRefusal, seconds } from '../reply.ts'

/** How and when the receiver answers (contract §4, §7, §8). */
export const answer: CheckGroup = {
  title: 'Answers',
  checks: [
    {
      id: 'answer.in-time',
      title: 'Every answer comes within 10 s',
      section: '§8, receiver response deadline',
      severity: 'must',
      fix: 'Store the event, answer 204, and work afterwards: a queue (BullMQ, pg-boss, Celery, Sidekiq), or a table and a worker. Fetch transcripts there, not before the answer.',
      withoutValidDelivery: true,
      examine: examineTimes,
    },
    {
      id: 'answer.leaks-nothing',
      title: 'A refusal shows neither the right signature nor the secret',
      section: '§5, webhook signatures',
      severity: 'must',
      fix: 'Answer 401 without a reason, and keep the reason in your log: whoever is told the right signature can sign.',
      examine: examineLeaks,
    },
    {
      id: 'answer.get',
      title: 'GET on the path is answered with a 4xx',
      section: '§7',
      severity: 'should',
      fix: 'Route POST alone; the reference receivers answer 404 to anything else.',
      examine: isTurnedAway((bench) => bench.deliver({ method: 'GET', body: '' })),
    },
    {
      id: 'answer.wrong-path',
      title: 'A delivery to another path is answered with a 4xx',
      section: '§7',
      severity: 'should',
      fix: 'Route the registered path alone; the reference receivers answer 404 to any other.',
      examine: isTurnedAway((bench) => bench.deliver({ url: new URL('doctor-was-here', bench.url) })),
    },
    {
      id: 'answer.still-there',
      title: 'After all of this, a valid delivery is still acknowledged',
      section: '§4, receiver contract',
      severity: 'must',
      fix: 'Something of the above ended the receiver or took its last worker: look at its log, catch what its handler throws, and put a limit on the time that a body may take.',
      examine: async ({ deliver, acceptedKind = '' }) => {
        const exchange = await deliver({ body: JSON.stringify(madeUpEvent(acceptedKind)) })
        const seen = describeExchange(exchange)
        return isAcknowledged(exchange.reply) ? held(seen) : missed(exchange, `${seen}, where a 2xx is due`)
      },
    },
  ],
}

async function examineTimes({ exchanges, limits }: Bench): Promise<Observation> {
  // How long a large body takes is a matter of the network.
  const usual = exchanges.filter(({ delivery }) => delivery.body.trailingSpaces === 0)
  const [slowest] = usual.toSorted((one, other) => other.tookMs - one.tookMs)
  if (slowest === undefined || slowest.reply.kind === 'unreachable') return untested('there was no answer')
  if (slowest.reply.kind === 'timed-out') return missed(slowest, describeExchange(slowest))
  const seen = `the slowest answer took ${seconds(slowest.tookMs)}`
  if (slowest.tookMs < limits.answerSoonMs) return held(seen)
  return missed(slowest, seen, { nearly: true, cause: `over ${seconds(limits.answerSoonMs)} is too near to the limit` })
}

async function examineLeaks({ deliver, signer, secret }: Bench): Promise<Observation> {
  const body = JSON.stringify(madeUpEvent('note.updated', { revision: 1 }))
  const exchange = await deliver({ body, sentBody: body.replace('"revision":1', '"revision":2') })
  if (exchange.reply.kind !== 'answered') return untested(describeExchange(exchange))
  const right = Buffer.from(rightSignature(exchange.delivery, signer), 'base64')
  const { bodyStart } = exchange.reply
  const isSignatureShown = (['base64', 'base64url', 'hex'] as const).some((encoding) =>
    bodyStart.includes(right.toString(encoding)),
  )
  if (isSignatureShown) return missed(exchange, 'the answer shows the signature that would have been right')
  if (bodyStart.includes(secret)) return missed(exchange, 'the answer shows the secret')
  return held('the answer shows neither')
}

function rightSignature({ headers, body }: Delivery, signer: Bench['signer']): string {
  return signer.sign(headers['webhook-id'] ?? '', headers['webhook-timestamp'] ?? '', bytesOf(body))
}

/** A 4xx, or the 501 of a server that does not know the method. */
function isTurnedAway(ask: (bench: Bench) => Promise<Exchange>): Examine {
  return async (bench) => {
    const exchange = await ask(bench)
    const seen = describeExchange(exchange)
    const isRight = isRefusal(exchange.reply) || (exchange.reply.kind === 'answered' && exchange.reply.status === 501)
    return isRight ? held(seen) : missed(exchange, `${seen}, where a 4xx is due`)
  }
}

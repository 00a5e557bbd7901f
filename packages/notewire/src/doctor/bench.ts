import { type DeliveryTraits, makeDelivery } from './delivery.ts'
import type { Effects } from './effects.ts'
import type { Limits } from './limits.ts'
import { madeUpEvent } from './made-up-event.ts'
import { type Exchange, isAcknowledged } from './reply.ts'
import { send } from './send.ts'
import { type Signer, signerOf } from './signer.ts'

/** What a check works at: a receiver, and all that is known about it so far. */
export interface Bench {
  readonly url: URL
  readonly limits: Limits
  readonly secret: string
  readonly signer: Signer
  /** A second secret that the receiver also knows, as during a rotation. */
  readonly second: { readonly secret: string; readonly signer: Signer } | undefined
  /** Where the receiver tells what it has applied. */
  readonly effects: Effects | undefined
  /** The valid delivery that went first. */
  readonly first: Exchange
  /** The kind of event that the receiver is known to take, if any: what all other checks are made of. */
  readonly acceptedKind: string | undefined
  /** Every exchange so far. */
  readonly exchanges: readonly Exchange[]
  /** Sends what the traits describe; without a body, an event of the kind that the receiver takes. */
  readonly deliver: (traits: Partial<DeliveryTraits>) => Promise<Exchange>
  /** Fires when the examination is to end. */
  readonly signal: AbortSignal
}

/** What a bench is made of. */
export interface BenchOptions {
  readonly url: URL
  readonly secret: string
  readonly secondSecret?: string | undefined
  readonly effects?: Effects | undefined
  readonly limits: Limits
  readonly signal: AbortSignal
}

/**
 * What to try where a receiver does not take `note.ended`: a handler that fails over a note which does not exist says nothing
 * against the verifier before it.
 */
const KINDS_TO_TRY = ['endpoint.test', 'note.updated'] as const

/**
 * Sends the first deliveries and makes the bench.
 *
 * @throws SecretError when a secret is malformed, or the reason of the signal
 */
export async function openBench(options: BenchOptions): Promise<Bench> {
  const { url, secret, secondSecret, effects, limits, signal } = options
  const signer = signerOf(secret)
  const second = secondSecret === undefined ? undefined : { secret: secondSecret, signer: signerOf(secondSecret) }
  const exchanges: Exchange[] = []
  let acceptedKind: string | undefined

  async function deliver(traits: Partial<DeliveryTraits>): Promise<Exchange> {
    const body = traits.body ?? JSON.stringify(madeUpEvent(acceptedKind ?? 'note.updated'))
    const delivery = makeDelivery({ ...traits, body }, { url, signer })
    const exchange = await send(delivery, { deadlineMs: limits.answerWithinMs, signal })
    exchanges.push(exchange)
    return exchange
  }

  const first = await deliver({ body: JSON.stringify(madeUpEvent('note.ended')) })
  if (isAcknowledged(first.reply)) acceptedKind = 'note.updated'
  else if (first.reply.kind === 'answered') acceptedKind = await firstAccepted(deliver)
  return { url, limits, secret, signer, second, effects, first, acceptedKind, exchanges, deliver, signal }
}

async function firstAccepted(deliver: Bench['deliver']): Promise<string | undefined> {
  for (const kind of KINDS_TO_TRY) {
    const { reply } = await deliver({ body: JSON.stringify(madeUpEvent(kind)) })
    if (isAcknowledged(reply)) return kind
  }
  return undefined
}

import { RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import { type DeliveryTraits, makeDelivery } from './delivery.ts'
import type { Effects } from './effects.ts'
import { type Exchange, isAccepted } from './reply.ts'
import { send } from './send.ts'
import type { Secret } from './signer.ts'
import { eventBody } from './test-event.ts'

export interface Examination {
  readonly url: URL
  readonly limits: Limits
  readonly secrets: readonly [Secret, ...Secret[]]
  readonly effects: Effects | undefined
  readonly first: Exchange
  /** A kind of event that the receiver accepts, which other checks send. `undefined` if it accepts no valid delivery. */
  readonly acceptedKind: string | undefined
  readonly exchanges: readonly Exchange[]
  /** Sends a delivery: by default, a valid one with an event of the accepted kind. */
  readonly deliver: (traits: Partial<DeliveryTraits>) => Promise<Exchange>
  readonly signal: AbortSignal
}

/** The limits of `notewire doctor`; times are in milliseconds. */
export const DEFAULT_LIMITS = {
  /** How long the service waits for an answer (contract §8). */
  answerWithinMs: RECEIVER_DEADLINE_MS,
  answerSoonMs: RECEIVER_DEADLINE_MS - 2_000,
  totalMs: 300_000,
  /** The examination ends after this number of deliveries without an answer. */
  unansweredAllowed: 5,
  /** How long to wait until the receiver lists an event as applied. */
  effectWithinMs: 5_000,
  /** How long to wait for a second application of the same event. */
  effectsSettleMs: 500,
}

export type Limits = Readonly<typeof DEFAULT_LIMITS>

/**
 * Sends the first valid delivery. If the receiver does not accept it, tries other kinds of event: a handler that fails because the
 * note does not exist says nothing about the verification of signatures.
 */
export async function startExamination(
  target: Pick<Examination, 'url' | 'secrets' | 'effects' | 'limits' | 'signal'>,
): Promise<Examination> {
  const { url, secrets, limits, signal } = target
  const exchanges: Exchange[] = []
  let acceptedKind: string | undefined

  async function deliver(traits: Partial<DeliveryTraits>): Promise<Exchange> {
    const delivery = makeDelivery({ url, signer: secrets[0].signer, body: eventBody(acceptedKind), ...traits })
    const exchange = await send(delivery, limits.answerWithinMs, signal)
    exchanges.push(exchange)
    return exchange
  }

  const first = await deliver({ body: eventBody('note.ended') })
  if (isAccepted(first.reply)) acceptedKind = 'note.updated'
  for (const kind of ['endpoint.test', 'note.updated']) {
    if (acceptedKind !== undefined || first.reply.kind !== 'answered') break
    if (isAccepted((await deliver({ body: eventBody(kind) })).reply)) acceptedKind = kind
  }
  return { ...target, first, acceptedKind, exchanges, deliver }
}

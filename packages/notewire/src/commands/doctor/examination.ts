import { RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import { CommandError } from '../../errors/failure.ts'
import { fetchFailureReason } from '../../errors/system-error.ts'
import { type DeliveryTraits, eventBody, isLarge, makeDelivery, type Secret } from './delivery.ts'
import { type Exchange, isAccepted, send } from './send.ts'

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
  answerWithinMs: RECEIVER_DEADLINE_MS,
  answerSoonMs: RECEIVER_DEADLINE_MS - 2_000,
  totalMs: 300_000,
  /** The examination ends after this number of answers that took longer than `answerSoonMs`, or did not arrive. */
  slowAllowed: 3,
  effectWithinMs: 15_000,
  effectsSettleMs: 500,
}

export type Limits = Readonly<typeof DEFAULT_LIMITS>

export function isSlow({ reply, tookMs, delivery }: Exchange, { answerSoonMs }: Limits): boolean {
  return (reply.kind === 'timed-out' || tookMs >= answerSoonMs) && !isLarge(delivery)
}

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

/** The IDs of the events that the receiver has applied so far, in the order of the list. */
export type AppliedIds = readonly unknown[]

/** Reads what the receiver has applied. @throws CommandError `effects_unreadable` */
export type Effects = (signal: AbortSignal) => Promise<AppliedIds>

export function timesApplied(applied: AppliedIds, { event_id }: { readonly event_id: string }): number {
  return applied.filter((each) => each === event_id).length
}

export function effectsAt(url: URL): Effects {
  return async (signal) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(10_000)])
    try {
      const response = await fetch(url, { redirect: 'manual', signal: limited })
      if (response.status !== 200) throw unreadable(`answered ${response.status} instead of 200`)
      return readEffects(await response.json())
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof CommandError) throw error
      throw unreadable(problemOf(error))
    }
  }
}

function problemOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'answered something that is not JSON'
  if (error instanceof TypeError && error.cause !== undefined) return `could not be read: ${fetchFailureReason(error)}`
  return `could not be read (${error instanceof Error ? error.name : 'unknown error'})`
}

export function readEffects(value: unknown): AppliedIds {
  const ids = typeof value === 'object' && value !== null && 'event_ids' in value ? value.event_ids : value
  if (Array.isArray(ids)) return ids
  throw unreadable('answered JSON of another shape')
}

function unreadable(problem: string): CommandError {
  const message = `the effects URL ${problem}. It must answer GET with JSON: an array with the event_id of each event that was applied, in the order in which they were applied; an event that was applied twice is listed twice.`
  return new CommandError('effects_unreadable', message)
}

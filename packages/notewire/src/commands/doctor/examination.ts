import { setTimeout as pause } from 'node:timers/promises'
import { RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import { CommandError } from '../../errors/failure.ts'
import { fetchFailureReason } from '../../errors/system-error.ts'
import { type DeliveryTraits, eventBody, isLarge, makeDelivery, type Secret, type TestEvent } from './delivery.ts'
import { RateLimit, RateLimitError, TOO_MANY_REQUESTS } from './rate-limit.ts'
import { type Exchange, isAccepted, readRetryAfter, send } from './send.ts'

export interface Examination {
  readonly url: URL
  readonly limits: Limits
  readonly secrets: readonly [Secret, ...Secret[]]
  readonly effects: Effects | undefined
  readonly first: Exchange
  /** A kind of event that the receiver accepts, which other checks send. `undefined` if it accepts no valid delivery. */
  readonly acceptedKind: string | undefined
  readonly exchanges: readonly Exchange[]
  readonly rateLimit: Pick<RateLimit, 'isExhausted'>
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
  /** How long a delivery waits while the receiver limits the rate. */
  rateLimitMs: 60_000,
}

export type Limits = Readonly<typeof DEFAULT_LIMITS>

export function isSlow({ reply, tookMs, delivery }: Exchange, { answerSoonMs }: Limits): boolean {
  return (reply.kind === 'timed-out' || tookMs >= answerSoonMs) && !isLarge(delivery)
}

/**
 * Sends the first valid delivery: a `note.ended`, because some receivers accept no other event about a note that they do not know. If the receiver does not accept it, tries other kinds of event: a handler that fails because the
 * note does not exist says nothing about the verification of signatures.
 */
export async function startExamination(
  target: Pick<Examination, 'url' | 'secrets' | 'effects' | 'limits' | 'signal'>,
): Promise<Examination> {
  const { url, secrets, limits, signal } = target
  const exchanges: Exchange[] = []
  const rateLimit = new RateLimit(limits.rateLimitMs, signal)
  let acceptedKind: string | undefined

  async function sendOnce(traits: Partial<DeliveryTraits>): Promise<Exchange> {
    const delivery = makeDelivery({ url, signer: secrets[0].signer, body: eventBody(acceptedKind), ...traits })
    const exchange = await send(delivery, limits.answerWithinMs, signal)
    exchanges.push(exchange)
    return exchange
  }

  const acceptsAnother = async () => isAccepted((await sendOnce({})).reply)

  async function deliver(traits: Partial<DeliveryTraits>): Promise<Exchange> {
    const whole = { body: eventBody(acceptedKind), ...traits }
    const sendAfter = (waitedMs: number) => sendOnce({ ...whole, ...sameAge(whole.timestamp, waitedMs) })
    return await rateLimit.send({ send: sendAfter, acceptsAnother })
  }

  const deliverFirst = (kind: string) =>
    deliver({ body: eventBody(kind) }).catch((error: unknown) => {
      const latest = exchanges.at(-1)
      if (error instanceof RateLimitError && latest !== undefined) return latest
      throw error
    })

  const first = await deliverFirst('note.ended')
  if (isAccepted(first.reply)) acceptedKind = 'note.ended'
  for (const kind of ['endpoint.test', 'note.updated']) {
    if (acceptedKind !== undefined || first.reply.kind !== 'answered' || rateLimit.isExhausted) break
    if (isAccepted((await deliverFirst(kind)).reply)) acceptedKind = kind
  }
  return { ...target, first, acceptedKind, exchanges, rateLimit, deliver }
}

/** A delivery that waited because of a rate limit, and was signed about 300 s ago or ahead: it keeps this distance from the clock. */
function sameAge(timestamp: string | undefined, waitedMs: number): Pick<DeliveryTraits, 'timestamp'> | undefined {
  const seconds = Number(timestamp)
  const distance = Math.abs(seconds - Date.now() / 1000)
  if (waitedMs === 0 || !(distance > 200 && distance < 1_000)) return undefined
  return { timestamp: String(seconds + Math.round(waitedMs / 1000)) }
}

/** The IDs of the events that the receiver has applied so far, in the order of the list. */
export type AppliedIds = readonly unknown[]

/** Reads what the receiver has applied. @throws CommandError `effects_unreadable` */
export type Effects = (signal: AbortSignal) => Promise<AppliedIds>

export function timesApplied(applied: AppliedIds, { event_id }: { readonly event_id: string }): number {
  return applied.filter((each) => each === event_id).length
}

/** Waits until each of these events was applied, for a limited time. */
export async function whenApplied(
  { effects, limits, signal }: Pick<Examination, 'limits' | 'signal'> & { readonly effects: Effects },
  events: readonly TestEvent[],
): Promise<AppliedIds> {
  const giveUpAt = Date.now() + limits.effectWithinMs
  while (true) {
    const applied = await effects(signal)
    if (events.every((event) => timesApplied(applied, event) > 0) || Date.now() >= giveUpAt) return applied
    await pause(100, undefined, { signal })
  }
}

export function effectsAt(url: URL): Effects {
  return async (signal) => {
    try {
      const response = await getWithinRate(url, signal)
      if (response.status !== 200) throw unreadable(`answered ${response.status} instead of 200`)
      return readEffects(await response.json())
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof CommandError) throw error
      throw unreadable(problemOf(error, url))
    }
  }
}

/** Waits while the URL is subject to a rate limit. */
async function getWithinRate(url: URL, signal: AbortSignal): Promise<Response> {
  let waitedMs = 0
  for (let pauseMs = 250; ; pauseMs *= 2) {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(10_000)])
    const response = await fetch(url, { redirect: 'manual', signal: limited })
    if (response.status !== TOO_MANY_REQUESTS) return response
    const nextMs = readRetryAfter(response.headers.get('retry-after')) ?? pauseMs
    waitedMs += nextMs
    if (waitedMs > DEFAULT_LIMITS.rateLimitMs) return response
    await response.body?.cancel()
    await pause(nextMs, undefined, { signal })
  }
}

function problemOf(error: unknown, url: URL): string {
  if (error instanceof SyntaxError) return 'answered something that is not JSON'
  if (error instanceof TypeError && error.cause !== undefined)
    return `could not be read: ${fetchFailureReason(error, url)}`
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

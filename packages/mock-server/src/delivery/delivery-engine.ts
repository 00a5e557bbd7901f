import {
  type EndpointEvent,
  type EndpointEventKind,
  isNoteEventKind,
  type NoteEvent,
  RETRY_DELAYS_MS,
} from '@notewire/protocol'
import type { Timeline } from '../clock/timeline.ts'
import type { MakeIdentifier } from '../seed/identifiers.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import { type Attempt, type AttemptOutcome, isSuccess } from './attempt.ts'
import type { Courier } from './courier.ts'
import type { Delivery, DeliveryStatus } from './delivery.ts'
import { type AttemptFate, type Disorder, fateOf, latenessOf } from './disorder.ts'
import { attemptOf, type Dispatch } from './dispatch.ts'
import type { Endpoint } from './endpoint.ts'
import { transitionOf } from './endpoint-state.ts'

interface EngineParts {
  readonly timeline: Timeline
  readonly courier: Courier
  readonly random: SeededRandom
  readonly makeIdentifier: MakeIdentifier
  readonly disorder: Disorder
}

/** Delivers events to endpoints at least once: signed, retried, logged (contract §6, §8). */
export class DeliveryEngine {
  readonly attempts: Attempt[] = []
  readonly deliveries: Delivery[] = []
  disorder: Disorder
  readonly #timeline: Timeline
  readonly #courier: Courier
  readonly #random: SeededRandom
  readonly #makeIdentifier: MakeIdentifier
  readonly #pending = new Set<Dispatch>()
  /** The verification of each endpoint that counts: the last one sent. */
  readonly #verifications = new WeakMap<Endpoint, Dispatch>()

  constructor({ timeline, courier, random, makeIdentifier, disorder }: EngineParts) {
    this.#timeline = timeline
    this.#courier = courier
    this.#random = random
    this.#makeIdentifier = makeIdentifier
    this.disorder = disorder
  }

  /** Sends an event to an endpoint. The first attempt leaves in the next turn of the event loop. */
  send(event: NoteEvent | EndpointEvent, endpoint: Endpoint): Dispatch {
    const { event_id, event_type } = event
    const delivery = {
      delivery_id: this.#makeIdentifier('delivery'),
      event_id,
      event_type,
      endpoint_id: endpoint.endpoint_id,
      webhook_id: this.#makeIdentifier('message'),
      body: JSON.stringify(event),
      attempts: 0,
      status: 'pending' as const,
    }
    const dispatch: Dispatch = {
      delivery,
      endpoint,
      rank: this.#timeline.nextRank(),
      departure: undefined,
      firstOutcome: Promise.withResolvers(),
    }
    this.deliveries.push(delivery)
    this.#pending.add(dispatch)
    this.#departIn(this.#latenessOf(dispatch), dispatch)
    return dispatch
  }

  /** Asks whether the receiver is there. Only an answer to the last such question counts (contract §3). */
  verify(endpoint: Endpoint): void {
    const before = this.#verifications.get(endpoint)
    if (before !== undefined) this.#abandon(before)
    this.#verifications.set(endpoint, this.send(this.#endpointEvent('endpoint.verification', endpoint), endpoint))
  }

  /** Resolves with the outcome of the first attempt of an endpoint's last verification. */
  async verificationTried(endpoint: Endpoint): Promise<void> {
    await this.#verifications.get(endpoint)?.firstOutcome.promise
  }

  /** Sends `endpoint.test`, whatever the endpoint's state. */
  sendTest(endpoint: Endpoint): void {
    this.send(this.#endpointEvent('endpoint.test', endpoint), endpoint)
  }

  /** Makes no more attempts at an endpoint. */
  stop(endpoint: Endpoint): void {
    for (const dispatch of this.#pending) if (dispatch.endpoint === endpoint) this.#abandon(dispatch)
  }

  #abandon(dispatch: Dispatch): void {
    dispatch.departure?.cancel()
    if (dispatch.delivery.status === 'pending') this.#close(dispatch, 'lost')
  }

  #endpointEvent(event_type: EndpointEventKind, { endpoint_id }: Endpoint): EndpointEvent {
    const occurred_at = new Date(this.#timeline.now()).toISOString()
    return { event_id: this.#makeIdentifier('event'), event_type, occurred_at, data: { endpoint_id } }
  }

  #departIn(ms: number, dispatch: Dispatch): void {
    dispatch.departure = this.#timeline.schedule(ms, () => this.#depart(dispatch), dispatch.rank)
  }

  #depart(dispatch: Dispatch): void {
    const { delivery, endpoint } = dispatch
    // Events about notes are not kept for an endpoint that is not active (open points 16 and 17).
    if (isNoteEventKind(delivery.event_type) && endpoint.state !== 'active') this.#close(dispatch, 'lost')
    else void this.#timeline.holdWhile(this.#attempt(dispatch))
  }

  async #attempt(dispatch: Dispatch): Promise<void> {
    dispatch.delivery.attempts += 1
    const { duplicated, lost } = this.#fateOf(dispatch)
    const attempt = attemptOf(dispatch, this.#timeline.now())
    const arrival = this.#arrive(dispatch.endpoint.url, attempt, dispatch.delivery.body, lost)
    if (duplicated && lost !== 'request') void this.#timeline.holdWhile(this.#arriveAgain(dispatch, attempt))
    this.#conclude(dispatch, await arrival)
    dispatch.firstOutcome.resolve()
  }

  /** Logged in the order of departure, which does not depend on who answers faster. */
  async #arrive(url: string, attempt: Attempt, body: string, lost: AttemptFate['lost']): Promise<AttemptOutcome> {
    const index = this.attempts.push(attempt) - 1
    const outcome = await this.#outcomeOf(url, attempt, body, lost)
    this.attempts[index] = { ...attempt, duration_ms: this.#timeline.now() - attempt.at, outcome }
    return outcome
  }

  async #outcomeOf(
    url: string,
    { headers }: Attempt,
    body: string,
    lost: AttemptFate['lost'],
  ): Promise<AttemptOutcome> {
    if (lost === 'request') return { kind: 'dropped', lost }
    const outcome = await this.#courier.carry({ url, headers, body })
    return lost === 'answer' && outcome.kind === 'answered' ? { kind: 'dropped', lost } : outcome
  }

  async #arriveAgain({ endpoint, delivery }: Dispatch, attempt: Attempt): Promise<void> {
    await this.#arrive(endpoint.url, { ...attempt, duplicate: true }, delivery.body, 'nothing')
  }

  #conclude(dispatch: Dispatch, outcome: AttemptOutcome): void {
    const { delivery } = dispatch
    if (isSuccess(outcome)) {
      this.#close(dispatch, 'delivered')
      this.#activate(dispatch)
    } else if (delivery.status === 'pending') {
      const delayMs = RETRY_DELAYS_MS[delivery.attempts - 1]
      if (delayMs === undefined) this.#close(dispatch, 'given_up')
      else this.#departIn(delayMs, dispatch)
    }
  }

  #activate(dispatch: Dispatch): void {
    const { endpoint } = dispatch
    if (this.#verifications.get(endpoint) !== dispatch) return
    endpoint.state = transitionOf(endpoint.state, 'verification_answered').to
  }

  #close(dispatch: Dispatch, status: DeliveryStatus): void {
    dispatch.delivery.status = status
    this.#pending.delete(dispatch)
    dispatch.firstOutcome.resolve()
  }

  #latenessOf({ delivery }: Dispatch): number {
    return latenessOf(this.#disorderOf(delivery), this.#random.fork(delivery.delivery_id))
  }

  #fateOf({ delivery }: Dispatch): AttemptFate {
    return fateOf(this.#disorderOf(delivery), this.#random.fork(`${delivery.delivery_id}/${delivery.attempts}`))
  }

  #disorderOf({ event_type }: Delivery): Disorder {
    return event_type === 'endpoint.verification' ? {} : this.disorder
  }
}

import {
  type EndpointEvent,
  type EndpointEventKind,
  isNoteEventKind,
  type NoteEvent,
  RETRY_DELAYS_MS,
} from '@notewire/protocol'
import type { Timeline } from '../clock/timeline.ts'
import type { DeliveryFault } from '../faults/fault-rule.ts'
import type { FaultBook } from '../faults/faults.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import type { Contract } from '../variants/contract-variants.ts'
import { sentEvent } from '../variants/contract-variants.ts'
import { type Attempt, departingAttempt, isSuccess } from './attempt.ts'
import { type AttemptFaults, type Disorder, delayOf, faultsOf, latenessOf } from './attempt-faults.ts'
import type { Courier } from './courier.ts'
import type { Delivery, DeliveryStatus, Dispatch } from './delivery.ts'
import { type Endpoint, stateAfter } from './endpoint.ts'

/** How long a reordered attempt waits for the next attempt, in milliseconds. */
const OVERTAKEN_WITHIN_MS = 60_000

interface EngineParts {
  readonly timeline: Timeline
  readonly contract: Contract
  readonly courier: Courier
  readonly disorder: Disorder
  readonly faults: FaultBook
}

type Message = Pick<Delivery, 'event_id' | 'event_type' | 'body' | 'replay_of'>

/** Delivers events to endpoints at least once, with signatures, retries and a log (contract §6, §8). */
export class DeliveryEngine {
  readonly attempts: Attempt[] = []
  readonly deliveries: Delivery[] = []
  disorder: Disorder
  readonly #byId = new Map<string, Delivery>()
  readonly #pending = new Set<Dispatch>()
  /** Deliveries that wait until their endpoint is active (open point 17). */
  readonly #queued = new Set<Dispatch>()
  /** The reordered deliveries, with the faults of their next attempt. */
  readonly #held = new Map<Dispatch, readonly DeliveryFault[]>()
  /** The last verification sent to each endpoint. An answer to an earlier one has no effect. */
  readonly #verifications = new WeakMap<Endpoint, Dispatch>()
  readonly #parts: EngineParts

  constructor(parts: EngineParts) {
    this.#parts = parts
    this.disorder = parts.disorder
  }

  /** Sends an event to an endpoint. The first attempt leaves in the next turn of the event loop. */
  send(event: NoteEvent | EndpointEvent, endpoint: Endpoint): Dispatch {
    const { event_id, event_type } = event
    return this.#begin({ event_id, event_type, body: JSON.stringify(event), replay_of: undefined }, endpoint)
  }

  /** Sends `endpoint.verification`. Only an answer to the last verification activates the endpoint (contract §3). */
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
  sendTest(endpoint: Endpoint): Delivery {
    return this.send(this.#endpointEvent('endpoint.test', endpoint), endpoint).delivery
  }

  delivery(delivery_id: string): Delivery | undefined {
    return this.#byId.get(delivery_id)
  }

  replay({ event_id, event_type, body, delivery_id }: Delivery, endpoint: Endpoint): Delivery {
    return this.#begin({ event_id, event_type, body, replay_of: delivery_id }, endpoint).delivery
  }

  stop(endpoint: Endpoint): void {
    for (const dispatch of this.#pending) if (dispatch.endpoint === endpoint) this.#abandon(dispatch)
  }

  #begin(message: Message, endpoint: Endpoint): Dispatch {
    const { owner_id, random, makeIdentifier } = endpoint.integration.owner
    const delivery = {
      ...message,
      delivery_id: makeIdentifier('delivery'),
      endpoint_id: endpoint.endpoint_id,
      owner_id,
      webhook_id: makeIdentifier('message'),
      created_at: this.#parts.timeline.now(),
      attempts: 0,
      status: 'pending' as const,
    }
    const dispatch: Dispatch = {
      delivery,
      endpoint,
      rank: this.#parts.timeline.nextRank(),
      departure: undefined,
      firstOutcome: Promise.withResolvers(),
    }
    this.deliveries.push(delivery)
    this.#byId.set(delivery.delivery_id, delivery)
    this.#pending.add(dispatch)
    this.#departIn(latenessOf(this.#disorderOf(delivery), drawsOf(delivery.delivery_id, random)), dispatch)
    return dispatch
  }

  #abandon(dispatch: Dispatch): void {
    dispatch.departure?.cancel()
    if (dispatch.delivery.status === 'pending') this.#close(dispatch, 'lost')
  }

  #endpointEvent(event_type: EndpointEventKind, { endpoint_id, integration }: Endpoint): EndpointEvent {
    const occurred_at = new Date(this.#parts.timeline.now()).toISOString()
    const data = this.#parts.contract.endpointEventData === 'empty' ? {} : { endpoint_id }
    const event = { event_id: integration.owner.makeIdentifier('event'), event_type, occurred_at, data }
    return sentEvent(event, this.#parts.contract)
  }

  #departIn(ms: number, dispatch: Dispatch): void {
    dispatch.departure = this.#parts.timeline.schedule(ms, () => this.#depart(dispatch), dispatch.rank)
  }

  #depart(dispatch: Dispatch): void {
    if (!this.#mayLeave(dispatch)) return
    const { delivery, endpoint } = dispatch
    const { owner } = endpoint.integration
    const faults = this.#parts.faults.strikeAttempt(delivery.event_type, endpoint.endpoint_id, owner)
    if (!faults.some(({ kind }) => kind === 'reordered')) {
      this.#leaveIn(delayOf(faults), dispatch, faults)
      return
    }
    this.#held.set(dispatch, faults)
    const leave = () => this.#leaveHeld(dispatch)
    dispatch.departure = this.#parts.timeline.schedule(OVERTAKEN_WITHIN_MS, leave, dispatch.rank)
  }

  /** Events about notes for an inactive endpoint are lost or queued (open points 16 and 17). */
  #mayLeave(dispatch: Dispatch): boolean {
    if (!isNoteEventKind(dispatch.delivery.event_type) || dispatch.endpoint.state === 'active') return true
    if (this.#parts.contract.whileInactive === 'queued') this.#queued.add(dispatch)
    else this.#close(dispatch, 'lost')
    return false
  }

  /** Lets a reordered delivery leave, after the next attempt at its endpoint was answered. */
  #leaveHeld(dispatch: Dispatch): void {
    const faults = this.#held.get(dispatch) ?? []
    this.#held.delete(dispatch)
    dispatch.departure?.cancel()
    this.#leaveIn(delayOf(faults), dispatch, faults)
  }

  #leaveIn(ms: number, dispatch: Dispatch, faults: readonly DeliveryFault[]): void {
    if (ms === 0) this.#leave(dispatch, faults)
    else dispatch.departure = this.#parts.timeline.schedule(ms, () => this.#leave(dispatch, faults), dispatch.rank)
  }

  #leave(dispatch: Dispatch, faults: readonly DeliveryFault[]): void {
    if (this.#mayLeave(dispatch)) void this.#parts.timeline.holdWhile(this.#attempt(dispatch, faults))
  }

  async #attempt(dispatch: Dispatch, rules: readonly DeliveryFault[]): Promise<void> {
    const { timeline, contract } = this.#parts
    const { delivery, endpoint } = dispatch
    const { random, makeIdentifier } = endpoint.integration.owner
    delivery.attempts += 1
    const draws = drawsOf(`${delivery.delivery_id}/${delivery.attempts}`, random)
    const faults = faultsOf(this.#disorderOf(delivery), rules, draws)
    const webhookId = contract.webhookId === 'per_attempt' ? makeIdentifier('message') : delivery.webhook_id
    const attempt = departingAttempt(dispatch, webhookId, timeline.now(), faults)
    const arrival = this.#arrive(attempt, faults.lost)
    if (faults.duplicated && faults.lost !== 'request') void timeline.holdWhile(this.#arriveAgain(attempt))
    this.#conclude(dispatch, await arrival)
    dispatch.firstOutcome.resolve()
  }

  /** Logs attempts in the order of departure, which does not depend on the speed of the answers. */
  async #arrive(attempt: Attempt, lost: AttemptFaults['lost']): Promise<Attempt> {
    const index = this.attempts.push(attempt) - 1
    const came = await this.#outcomeOf(attempt, lost)
    const arrived = { ...attempt, duration_ms: this.#parts.timeline.now() - attempt.at, ...came }
    this.attempts[index] = arrived
    return arrived
  }

  async #outcomeOf(attempt: Attempt, lost: AttemptFaults['lost']): Promise<Pick<Attempt, 'outcome' | 'response'>> {
    if (lost === 'request') return { outcome: { kind: 'dropped', lost }, response: undefined }
    const came = await this.#parts.courier.carry(attempt)
    return lost === 'answer' && came.outcome.kind === 'answered'
      ? { ...came, outcome: { kind: 'dropped', lost } }
      : came
  }

  async #arriveAgain(attempt: Attempt): Promise<void> {
    await this.#arrive({ ...attempt, duplicate: true }, 'nothing')
  }

  #conclude(dispatch: Dispatch, { outcome }: Attempt): void {
    if (isSuccess(outcome)) this.#succeed(dispatch)
    else this.#fail(dispatch)
    for (const held of this.#held.keys()) if (held.endpoint === dispatch.endpoint) this.#leaveHeld(held)
  }

  #succeed(dispatch: Dispatch): void {
    const { endpoint } = dispatch
    endpoint.failuresInARow = 0
    this.#close(dispatch, 'delivered')
    if (this.#verifications.get(endpoint) !== dispatch) return
    endpoint.state = stateAfter('verification_answered', endpoint.state)
    this.#release(endpoint)
  }

  /** Sends the deliveries that waited until the endpoint is active (open point 17). */
  #release(endpoint: Endpoint): void {
    for (const dispatch of this.#queued) {
      if (dispatch.endpoint !== endpoint) continue
      this.#queued.delete(dispatch)
      this.#departIn(0, dispatch)
    }
  }

  #fail(dispatch: Dispatch): void {
    const { delivery, endpoint } = dispatch
    if (delivery.status !== 'pending') return
    const delayMs = RETRY_DELAYS_MS[delivery.attempts - 1]
    if (delayMs === undefined) this.#close(dispatch, 'given_up')
    else this.#departIn(delayMs, dispatch)
    if (delayMs === undefined || this.#parts.contract.disableCounts === 'attempts') this.#countFailure(endpoint)
  }

  /** Too many consecutive failures disable an active endpoint (contract §3; open point 16). */
  #countFailure(endpoint: Endpoint): void {
    const { disableAfter } = this.#parts.contract
    endpoint.failuresInARow += 1
    if (disableAfter === 'never' || endpoint.failuresInARow < disableAfter) return
    endpoint.state = stateAfter('failed_too_often', endpoint.state)
  }

  #close(dispatch: Dispatch, status: DeliveryStatus): void {
    dispatch.delivery.status = status
    this.#pending.delete(dispatch)
    this.#queued.delete(dispatch)
    this.#held.delete(dispatch)
    dispatch.firstOutcome.resolve()
  }

  #disorderOf({ event_type }: Delivery): Disorder {
    return event_type === 'endpoint.verification' ? {} : this.disorder
  }
}

function drawsOf(label: string, ofOwner: SeededRandom): SeededRandom {
  return ofOwner.fork(`disorder/${label}`)
}

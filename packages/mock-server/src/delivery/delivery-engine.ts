import {
  type EndpointEvent,
  type EndpointEventKind,
  isNoteEventKind,
  type NoteEvent,
  RETRY_DELAYS_MS,
} from '@notewire/protocol'
import type { DeliveryFault } from '../faults/fault-rule.ts'
import type { FaultRules } from '../faults/faults.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import { sentEvent } from '../variants/sent-fields.ts'
import { type Attempt, isSuccess } from './attempt.ts'
import { type Disorder, delayOf, faultsOf, reorderDelayOf } from './attempt-faults.ts'
import { AttemptLog, type AttemptLogParts } from './attempt-log.ts'
import { BoundedLog } from './bounded-log.ts'
import type { Delivery, DeliveryStatus, Dispatch } from './delivery.ts'
import { type Endpoint, stateAfter } from './endpoint.ts'

/** How long a reordered attempt waits for the next attempt, in milliseconds. */
const MAX_REORDER_MS = 60_000

interface EngineParts extends AttemptLogParts {
  readonly disorder: Disorder
  readonly faults: FaultRules
}

type Message = Pick<Delivery, 'event_id' | 'event_type' | 'body' | 'replay_of'>

/** Delivers events to endpoints at least once, with signatures, retries and a log (contract §6, §8). */
export class DeliveryEngine {
  readonly deliveries: BoundedLog<Delivery>
  disorder: Disorder
  readonly #log: AttemptLog
  readonly #byId = new Map<string, Delivery>()
  readonly #pending = new Set<Dispatch>()
  /** Deliveries to inactive endpoints, which wait until their endpoint is active (open point 17). */
  readonly #queued = new Set<Dispatch>()
  /** Deliveries that wait until another attempt to their endpoint has ended (fault `reordered`), with the faults of their next attempt. */
  readonly #reordered = new Map<Dispatch, readonly DeliveryFault[]>()
  /** The last verification sent to each endpoint. An answer to an earlier one has no effect. */
  readonly #verifications = new WeakMap<Endpoint, Dispatch>()
  readonly #parts: EngineParts

  constructor(parts: EngineParts) {
    this.#parts = parts
    this.disorder = parts.disorder
    this.#log = new AttemptLog(parts)
    this.deliveries = new BoundedLog(parts.keepLast, ({ delivery_id }) => this.#byId.delete(delivery_id))
  }

  get attempts(): BoundedLog<Attempt> {
    return this.#log.entries
  }

  /**
   * Sends an event to an endpoint. The first attempt is sent in the next turn of the event loop, unless `disorder` or a fault delays it.
   */
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

  /** Resolves after the first attempt of the endpoint's last verification has ended. */
  async waitForFirstVerificationAttempt(endpoint: Endpoint): Promise<void> {
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

  /** Ends the pending deliveries to an endpoint as lost. */
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
      scheduled: undefined,
      firstOutcome: Promise.withResolvers(),
    }
    this.#byId.set(delivery.delivery_id, delivery)
    this.deliveries.add(delivery)
    this.#pending.add(dispatch)
    const delayMs = reorderDelayOf(this.#disorderOf(delivery), randomOf(delivery.delivery_id, random))
    this.#scheduleAttempt(delayMs, dispatch)
    return dispatch
  }

  #abandon(dispatch: Dispatch): void {
    dispatch.scheduled?.cancel()
    if (dispatch.delivery.status === 'pending') this.#end(dispatch, 'lost')
  }

  #endpointEvent(event_type: EndpointEventKind, { endpoint_id, integration }: Endpoint): EndpointEvent {
    const occurred_at = new Date(this.#parts.timeline.now()).toISOString()
    const data = this.#parts.contract.endpointEventData === 'empty' ? {} : { endpoint_id }
    const event = { event_id: integration.owner.makeIdentifier('event'), event_type, occurred_at, data }
    return sentEvent(event, this.#parts.contract)
  }

  #scheduleAttempt(ms: number, dispatch: Dispatch): void {
    this.#schedule(ms, dispatch, () => this.#startAttempt(dispatch))
  }

  #schedule(ms: number, dispatch: Dispatch, run: () => void): void {
    dispatch.scheduled = this.#parts.timeline.schedule(ms, run, dispatch.rank)
  }

  #startAttempt(dispatch: Dispatch): void {
    if (!this.#admitOrQueue(dispatch)) return
    const { delivery, endpoint } = dispatch
    const { owner } = endpoint.integration
    const faults = this.#parts.faults.faultsOfAttempt(delivery.event_type, endpoint.endpoint_id, owner)
    if (faults.some(({ kind }) => kind === 'reordered')) {
      this.#reordered.set(dispatch, faults)
      this.#schedule(MAX_REORDER_MS, dispatch, () => this.#sendReordered(dispatch))
    } else this.#sendDelayed(dispatch, faults)
  }

  /**
   * Returns whether the delivery can be sent now. An event about a note cannot be sent to an inactive endpoint: this method then ends the
   * delivery as lost, or queues it until the endpoint is active (open points 16 and 17).
   */
  #admitOrQueue(dispatch: Dispatch): boolean {
    if (!isNoteEventKind(dispatch.delivery.event_type) || dispatch.endpoint.state === 'active') return true
    if (this.#parts.contract.whileInactive === 'queued') this.#queued.add(dispatch)
    else this.#end(dispatch, 'lost')
    return false
  }

  /** Sends a reordered delivery: after the next attempt to its endpoint has ended, or after `MAX_REORDER_MS`. */
  #sendReordered(dispatch: Dispatch): void {
    const faults = this.#reordered.get(dispatch) ?? []
    this.#reordered.delete(dispatch)
    dispatch.scheduled?.cancel()
    this.#sendDelayed(dispatch, faults)
  }

  #sendDelayed(dispatch: Dispatch, faults: readonly DeliveryFault[]): void {
    const send = () => {
      if (this.#admitOrQueue(dispatch)) void this.#parts.timeline.trackInFlight(this.#attempt(dispatch, faults))
    }
    const ms = delayOf(faults)
    if (ms === 0) send()
    else this.#schedule(ms, dispatch, send)
  }

  async #attempt(dispatch: Dispatch, rules: readonly DeliveryFault[]): Promise<void> {
    const { delivery, endpoint } = dispatch
    delivery.attempts += 1
    const label = `${delivery.delivery_id}/${delivery.attempts}`
    const faults = faultsOf(this.#disorderOf(delivery), rules, randomOf(label, endpoint.integration.owner.random))
    this.#finish(dispatch, await this.#log.attempt(dispatch, faults))
    dispatch.firstOutcome.resolve()
  }

  #finish(dispatch: Dispatch, { outcome }: Attempt): void {
    if (isSuccess(outcome)) this.#succeed(dispatch)
    else this.#fail(dispatch)
    for (const reordered of this.#reordered.keys()) {
      if (reordered.endpoint === dispatch.endpoint) this.#sendReordered(reordered)
    }
  }

  #succeed(dispatch: Dispatch): void {
    const { endpoint } = dispatch
    endpoint.consecutiveFailures = 0
    this.#end(dispatch, 'delivered')
    if (this.#verifications.get(endpoint) !== dispatch) return
    endpoint.state = stateAfter('verification_answered', endpoint.state)
    this.#sendQueued(endpoint)
  }

  #sendQueued(endpoint: Endpoint): void {
    for (const dispatch of this.#queued) {
      if (dispatch.endpoint !== endpoint) continue
      this.#queued.delete(dispatch)
      this.#scheduleAttempt(0, dispatch)
    }
  }

  #fail(dispatch: Dispatch): void {
    const { delivery, endpoint } = dispatch
    if (delivery.status !== 'pending') return
    const delayMs = RETRY_DELAYS_MS[delivery.attempts - 1]
    if (delayMs === undefined) this.#end(dispatch, 'given_up')
    else this.#scheduleAttempt(delayMs, dispatch)
    if (delayMs === undefined || this.#parts.contract.disableCounts === 'attempts') this.#countFailure(endpoint)
  }

  /** Too many consecutive failures disable an active endpoint (contract §3; open point 16). */
  #countFailure(endpoint: Endpoint): void {
    const { disableAfter } = this.#parts.contract
    endpoint.consecutiveFailures += 1
    if (disableAfter === 'never' || endpoint.consecutiveFailures < disableAfter) return
    endpoint.state = stateAfter('too_many_failures', endpoint.state)
  }

  #end(dispatch: Dispatch, status: DeliveryStatus): void {
    dispatch.delivery.status = status
    this.#pending.delete(dispatch)
    this.#queued.delete(dispatch)
    this.#reordered.delete(dispatch)
    dispatch.firstOutcome.resolve()
  }

  /** A verification is delivered without disorder, so that each endpoint can become active. */
  #disorderOf({ event_type }: Delivery): Disorder {
    return event_type === 'endpoint.verification' ? {} : this.disorder
  }
}

function randomOf(label: string, random: SeededRandom): SeededRandom {
  return random.fork(`disorder/${label}`)
}

import { type Clock, isEndpointEvent, isNoteEvent, type UnknownEvent, type WebhookEvent } from '@notewire/protocol'
import type { Claim, ClaimedNote, ClaimRequest, ReceiverStore } from '../stores/store.ts'
import { Endings } from './endings.ts'
import {
  type ArrivedEvent,
  type Circumstances,
  type HeldEvent,
  runHandler,
  TransactionNotCommittedError,
} from './handler-run.ts'
import { type BoundHandler, type EventHandler, type EventHandlers, handlerOf } from './handlers.ts'
import { LEASE_MS } from './lease.ts'
import type { Logger } from './logger.ts'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'
import { claimPatiently } from './patient-claim.ts'
import type { GateMode } from './revision-gate.ts'
import { Stop } from './stop.ts'

/** What processing needs to know. */
export interface ProcessorOptions<Transaction = never> {
  readonly on: EventHandlers<Transaction>
  readonly onUnknown: EventHandler<UnknownEvent, Transaction> | undefined
  readonly store: ReceiverStore<Transaction>
  readonly scope: string
  readonly revisionGate: GateMode
  readonly dedupWindowMs: number
  readonly clock: Clock
  readonly logger: Logger
  /** Told of each outcome. Never throws. */
  readonly tellOutcome: (outcome: ProcessOutcome, timing: ProcessTiming) => void
}

/** Applies events once and in order of revision: claim, handler, commit; or release, when the handler fails. */
export class Processor<Transaction = never> {
  readonly #options: ProcessorOptions<Transaction>
  readonly #tools
  readonly #running = new Map<Stop, Promise<ProcessOutcome>>()
  #closing = false

  constructor(options: ProcessorOptions<Transaction>) {
    this.#options = options
    this.#tools = { store: options.store, clock: options.clock, endings: new Endings() }
  }

  /** Never rejects: what went wrong is an outcome. */
  process(event: WebhookEvent, circumstances: Circumstances): Promise<ProcessOutcome> {
    const stop = new Stop()
    const work = this.#processUnder(stop, event, circumstances)
    this.#running.set(stop, work)
    return work
  }

  /** Aborts what runs, begins nothing more, and resolves when everything that ran has ended. */
  async close(): Promise<void> {
    this.#closing = true
    for (const stop of this.#running.keys()) stop.order('the receiver is closing')
    await Promise.all(this.#running.values())
  }

  async #processUnder(stop: Stop, event: WebhookEvent, circumstances: Circumstances): Promise<ProcessOutcome> {
    const timing = { waitedMs: 0, handlerMs: undefined }
    const outcome = await this.#claimAndApply({ event, stop, circumstances, timing })
    this.#running.delete(stop)
    this.#options.tellOutcome(outcome, timing)
    return outcome
  }

  async #claimAndApply(arrived: ArrivedEvent): Promise<ProcessOutcome> {
    const { event, stop, timing } = arrived
    if (this.#closing) return { status: 'closing', event }
    const { on, onUnknown, clock } = this.#options
    const handler = handlerOf(event, on, onUnknown)
    const request = this.#claimRequest(event, handler !== undefined)
    const arrivedAt = clock.now()
    try {
      const { result, askedAt } = await claimPatiently(this.#tools, request, stop)
      timing.waitedMs = askedAt - arrivedAt
      if (result.status !== 'claimed') return { ...result, event }
      return await this.#apply(handler, { ...arrived, claim: result.claim, askedAt })
    } catch (error) {
      return { status: 'store-failed', event, error }
    } finally {
      this.#tools.endings.announce(request)
    }
  }

  async #apply(handler: BoundHandler<Transaction> | undefined, held: HeldEvent): Promise<ProcessOutcome> {
    const { event, claim, askedAt } = held
    const { clock } = this.#options
    if (this.#closing) return await this.#giveBack(claim, { status: 'closing', event })
    if (handler === undefined) return await this.#commit(claim, { status: 'unhandled', event })
    // A process that stood still may come to its handler when another has long begun.
    if (clock.now() >= askedAt + LEASE_MS) return await this.#giveBack(claim, { status: 'claim-lost', event })
    const end = await runHandler(handler, held, this.#options)
    switch (end.status) {
      case 'returned':
        return await this.#commit(claim, { status: 'applied', event })
      case 'returned-marked':
        return await this.#makeSureOfMark(claim, event)
      case 'threw':
        return await this.#giveBack(claim, { status: 'failed', event, error: end.error })
      case 'lost':
        return await this.#giveBack(claim, { status: 'claim-lost', event })
    }
  }

  async #commit(claim: Claim, outcome: ProcessOutcome): Promise<ProcessOutcome> {
    const { event } = outcome
    try {
      const committed = await this.#options.store.commit(claim)
      return committed === 'lost' ? { status: 'claim-lost', event } : outcome
    } catch (error) {
      return await this.#giveBack(claim, { status: 'store-failed', event, error })
    }
  }

  /**
   * Asks the store, to which a marked event is a duplicate, whether the handler's transaction has committed. A renewal would
   * not tell: it is lost as well where another worker took the claim over before the transaction was rolled back.
   */
  async #makeSureOfMark(claim: Claim, event: WebhookEvent): Promise<ProcessOutcome> {
    const answer = await this.#options.store.claim(claim.request)
    if (answer.status === 'duplicate') return { status: 'applied', event }
    const error = new TransactionNotCommittedError()
    return await this.#giveBack(answer.status === 'claimed' ? answer.claim : claim, { status: 'failed', event, error })
  }

  async #giveBack(claim: Claim, outcome: ProcessOutcome): Promise<ProcessOutcome> {
    try {
      await this.#options.store.release(claim)
    } catch {
      // A claim that cannot be given back runs out by itself.
    }
    return outcome
  }

  #claimRequest(event: WebhookEvent, handled: boolean): ClaimRequest {
    const { scope, revisionGate, dedupWindowMs } = this.#options
    return {
      scope,
      eventId: event.event_id,
      // What nobody handles must neither wait for its note nor raise its revision over an event that somebody does.
      note: handled ? noteOf(event) : undefined,
      gate: revisionGate,
      leaseMs: LEASE_MS,
      keepMs: dedupWindowMs,
    }
  }
}

// A kind that we do not know waits for its note, but only the four kinds of the contract are judged by revision.
function noteOf(event: WebhookEvent): ClaimedNote | undefined {
  if (isNoteEvent(event)) {
    const { note_id, revision, recording_session_id } = event.data
    return {
      noteId: note_id,
      change: { kind: event.event_type, revision, recordingSessionId: recording_session_id ?? undefined },
    }
  }
  const noteId = isEndpointEvent(event) ? undefined : event.data['note_id']
  return typeof noteId === 'string' ? { noteId } : undefined
}

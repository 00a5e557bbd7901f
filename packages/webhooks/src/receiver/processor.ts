import {
  type Clock,
  isEndpointEvent,
  isNoteEvent,
  monotonicNow,
  type UnknownEvent,
  type WebhookEvent,
} from '@notewire/protocol'
import type { GateMode } from '../interfaces/revision-gate.ts'
import type { Claim, ClaimedNote, ClaimRequest, ReceiverStore } from '../interfaces/store.ts'
import { Endings } from './endings.ts'
import { eventTime } from './event-time.ts'
import {
  type ArrivedEvent,
  type Circumstances,
  type HeldEvent,
  type RunningHandler,
  runHandler,
  type Settlement,
  TransactionNotCommittedError,
} from './handler-run.ts'
import { type BoundHandler, type EventHandler, type EventHandlers, handlerOf } from './handlers.ts'
import { LEASE_MS } from './lease.ts'
import type { Logger } from './logger.ts'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'
import { claimPatiently } from './patient-claim.ts'
import { isAbort, Stop } from './stop.ts'
import { waitAtMost } from './wait-at-most.ts'

/** How long `close` waits, after its grace, for the store to take back the claims of handlers that still run. */
const GIVE_BACK_WITHIN_MS = 5_000

/** What processing needs to know. */
export interface ProcessorOptions<Transaction = never> {
  readonly on: EventHandlers<Transaction>
  readonly onUnknown: EventHandler<UnknownEvent, Transaction> | undefined
  readonly store: ReceiverStore<Transaction>
  readonly revisionGate: GateMode
  readonly dedupWindowMs: number
  /** How long a handler may take. */
  readonly handlerTimeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
  /** Told of each outcome. Never throws. */
  readonly tellOutcome: (outcome: ProcessOutcome, timing: ProcessTiming, integration: string) => void
  /** Told once of each handler that ends after its claim was given up. Never throws. */
  readonly tellLateEnd: (event: WebhookEvent, end: Settlement, integration: string) => void
}

/** Applies events once and in order of revision: claim, handler, commit; or release, when the handler fails. */
export class Processor<Transaction = never> {
  readonly #options: ProcessorOptions<Transaction>
  readonly #tools
  readonly #running = new Map<Stop, Promise<ProcessOutcome>>()
  /** Includes handlers that were given up and have not ended. */
  readonly #runningHandlers = new Set<RunningHandler>()
  #closing = false
  #closed: Promise<number> | undefined

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

  /**
   * Aborts the signals of running handlers, calls no more of them, and waits for them for `graceMs`. Then gives up the claims
   * of those that still run. A second call resolves with the first.
   *
   * @returns how many handlers still ran
   */
  close(graceMs: number): Promise<number> {
    this.#closed ??= this.#shutDown(graceMs)
    return this.#closed
  }

  async #shutDown(graceMs: number): Promise<number> {
    const { clock } = this.#options
    this.#closing = true
    for (const stop of this.#running.keys()) stop.order('the receiver is closing')
    const handlersEnd = [...this.#runningHandlers].map(({ ended }) => ended)
    await waitAtMost(clock, graceMs, Promise.all([...this.#running.values(), ...handlersEnd]))
    const left = this.#runningHandlers.size
    for (const handler of this.#runningHandlers) handler.giveUp('closing')
    await waitAtMost(clock, GIVE_BACK_WITHIN_MS, Promise.all(this.#running.values()))
    return left
  }

  async #processUnder(stop: Stop, event: WebhookEvent, circumstances: Circumstances): Promise<ProcessOutcome> {
    const timing = { waitedMs: 0, handlerMs: undefined }
    const outcome = await this.#claimAndApply({ event, stop, circumstances, timing })
    this.#running.delete(stop)
    this.#options.tellOutcome(outcome, timing, circumstances.integration)
    return outcome
  }

  async #claimAndApply(arrived: ArrivedEvent): Promise<ProcessOutcome> {
    const { event, stop, circumstances, timing } = arrived
    if (this.#closing) return { status: 'closing', event }
    const { on, onUnknown, clock } = this.#options
    const handler = handlerOf(event, on, onUnknown)
    const request = this.#claimRequest(event, circumstances.integration, handler !== undefined)
    const arrivedAt = monotonicNow(clock)
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
    const { event, claim, askedAt, stop } = held
    const { clock } = this.#options
    if (this.#closing) return await this.#giveBack(claim, { status: 'closing', event })
    if (handler === undefined) return await this.#commit(claim, { status: 'unhandled', event })
    // A process that stood still may come to its handler when another has long begun.
    if (monotonicNow(clock) >= askedAt + LEASE_MS) return await this.#giveBack(claim, { status: 'claim-lost', event })
    const timeoutMs = held.circumstances.handlerTimeoutMs ?? this.#options.handlerTimeoutMs
    const tools = { ...this.#options, runningHandlers: this.#runningHandlers }
    const end = await runHandler(handler, held, timeoutMs, tools)
    switch (end.status) {
      case 'returned':
        if (end.marked) return await this.#makeSureOfMark(claim, notCommitted(event))
        return await this.#commit(claim, { status: 'applied', event })
      case 'threw':
        if (this.#closing && isAbort(end.error, stop.reason)) {
          return await this.#giveBack(claim, { status: 'closing', event })
        }
        return await this.#giveBack(claim, { status: 'failed', event, error: end.error })
      case 'lost':
        return await this.#giveBack(claim, { status: 'claim-lost', event })
      case 'given-up': {
        const outcome: ProcessOutcome = { status: end.why, event }
        if (!end.marked) return await this.#giveBack(claim, outcome)
        // A transaction that is still open may keep the store from answering.
        return await this.#makeSureOfMark(claim, outcome).catch(() => outcome)
      }
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
   *
   * @param otherwise  the outcome when it has not
   */
  async #makeSureOfMark(claim: Claim, otherwise: ProcessOutcome): Promise<ProcessOutcome> {
    const answer = await this.#options.store.claim(claim.request)
    if (answer.status === 'duplicate') return { status: 'applied', event: otherwise.event }
    return await this.#giveBack(answer.status === 'claimed' ? answer.claim : claim, otherwise)
  }

  async #giveBack(claim: Claim, outcome: ProcessOutcome): Promise<ProcessOutcome> {
    try {
      await this.#options.store.release(claim)
    } catch {
      // A claim that cannot be given back runs out by itself.
    }
    return outcome
  }

  #claimRequest(event: WebhookEvent, integration: string, handled: boolean): ClaimRequest {
    const { revisionGate, dedupWindowMs } = this.#options
    return {
      integration,
      eventId: event.event_id,
      // What nobody handles must neither wait for its note nor raise its revision over an event that somebody does.
      note: handled ? noteOf(event) : undefined,
      gate: revisionGate,
      leaseMs: LEASE_MS,
      keepMs: dedupWindowMs,
    }
  }
}

function notCommitted(event: WebhookEvent): ProcessOutcome {
  return { status: 'failed', event, error: new TransactionNotCommittedError() }
}

// A kind that we do not know waits for its note, but only the four kinds of the contract are judged by revision.
function noteOf(event: WebhookEvent): ClaimedNote | undefined {
  if (isNoteEvent(event)) {
    const { note_id, revision, recording_session_id } = event.data
    return {
      noteId: note_id,
      change: {
        kind: event.event_type,
        revision,
        recordingSessionId: recording_session_id ?? undefined,
        occurredAt: eventTime(event.occurred_at),
      },
    }
  }
  const noteId = isEndpointEvent(event) ? undefined : event.data['note_id']
  return typeof noteId === 'string' ? { noteId } : undefined
}

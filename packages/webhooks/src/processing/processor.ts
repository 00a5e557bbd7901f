import { type Clock, monotonicNow, type UnknownEvent, type WebhookEvent } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { GateMode } from '../interfaces/revision-gate.ts'
import type { Claim, ClaimRequest, ReceiverStore } from '../interfaces/store.ts'
import { claimRequestOf } from './claim-request.ts'
import { type HandlerEnd, HandlerRun } from './handler-run.ts'
import {
  type EventHandler,
  type EventHandlers,
  type HandlerContext,
  handlerOf,
  type Prepare,
  TransactionNotCommittedError,
} from './handlers.ts'
import { isAbort } from './lazy-abort.ts'
import { LEASE_MS } from './lease.ts'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'
import { type AttemptContext, type HandlerResult, ReceivedEvent } from './received-event.ts'
import { waitAtMost } from './timers.ts'
import { claimWhenFree, type TimedClaimResult, Waiters } from './waiters.ts'

/** After its grace, `close` waits this long for the store to release the claims of handlers that still run, in milliseconds. */
const RELEASE_WITHIN_MS = 5_000

/** What a processor needs. */
export interface ProcessorOptions<Transaction = never> {
  readonly on: EventHandlers<HandlerContext<Transaction>>
  readonly onUnknown: EventHandler<UnknownEvent, HandlerContext<Transaction>> | undefined
  readonly prepare?: Prepare | undefined
  readonly store: ReceiverStore<Transaction>
  readonly revisionGate: GateMode
  readonly dedupWindowMs: number
  /** How long a handler may take. */
  readonly handlerTimeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
  /** Called with each outcome. Never throws. */
  readonly reportOutcome: (outcome: ProcessOutcome, timing: ProcessTiming, integration: string) => void
  /** Called once for each handler that ends after the processor has released its claim. Never throws. */
  readonly reportLateEnd: (event: WebhookEvent, end: HandlerResult, integration: string) => void
}

/** Applies events once and in order of revision: claim, handler, commit; or release, if the handler fails. */
export class Processor<Transaction = never> {
  readonly #options: ProcessorOptions<Transaction>
  readonly #tools
  readonly #waiters = new Waiters()
  readonly #processing = new Map<ReceivedEvent, Promise<ProcessOutcome>>()
  readonly #running = new Map<HandlerRun<Transaction>, Promise<unknown>>()
  #isClosing = false
  #closed: Promise<number> | undefined

  constructor(options: ProcessorOptions<Transaction>) {
    this.#options = options
    this.#tools = { ...options, waiters: this.#waiters, running: this.#running }
  }

  /** Never rejects: a failure is an outcome. */
  async process(event: WebhookEvent, attempt: AttemptContext): Promise<ProcessOutcome> {
    const received = new ReceivedEvent(event, attempt)
    const work = this.#process(received)
    this.#processing.set(received, work)
    const outcome = await work
    this.#processing.delete(received)
    this.#options.reportOutcome(outcome, received.timing, attempt.integration)
    return outcome
  }

  /**
   * Aborts the signals of running handlers, calls no more handlers, and waits up to `graceMs` for those that run. Then releases
   * the claims of those that still run. A second call resolves with the first.
   *
   * @returns how many handlers still ran
   */
  close(graceMs: number): Promise<number> {
    this.#closed ??= this.#shutDown(graceMs)
    return this.#closed
  }

  async #shutDown(graceMs: number): Promise<number> {
    const { clock } = this.#options
    this.#isClosing = true
    for (const { abort } of this.#processing.keys()) abort.abort('the receiver is closing')
    const processed = Promise.all(this.#processing.values())
    await waitAtMost(clock, graceMs, Promise.all([processed, ...this.#running.values()]))
    const stillRunning = this.#running.size
    for (const run of this.#running.keys()) run.giveUp('closing')
    await waitAtMost(clock, RELEASE_WITHIN_MS, processed)
    return stillRunning
  }

  async #process(received: ReceivedEvent): Promise<ProcessOutcome> {
    const { event, attempt } = received
    const { on, onUnknown } = this.#options
    if (this.#isClosing) return { status: 'closing', event }
    const handler = handlerOf(event, on, onUnknown)
    const request = claimRequestOf(event, attempt.integration, handler !== undefined, this.#options)
    try {
      const { result, requestedAt } = await this.#claim(received, request)
      if (result.status !== 'claimed') return { ...result, event }
      return await this.#apply(handler, received, result.claim, requestedAt)
    } catch (error) {
      return { status: 'store-failed', event, error }
    } finally {
      this.#waiters.release(request)
    }
  }

  async #claim({ abort, timing }: ReceivedEvent, request: ClaimRequest): Promise<TimedClaimResult> {
    const arrivedAt = monotonicNow(this.#options.clock)
    const { released } = this.#waiters
    const result = await this.#options.store.claim(request)
    if (result.status !== 'busy') return { result, requestedAt: arrivedAt }
    const wasReleased = this.#waiters.released !== released
    const claimed = await claimWhenFree(this.#tools, request, abort, wasReleased)
    timing.waitedMs = claimed.requestedAt - arrivedAt
    return claimed
  }

  async #apply(
    handler: EventHandler<WebhookEvent, HandlerContext<Transaction>> | undefined,
    received: ReceivedEvent,
    claim: Claim,
    claimedAt: number,
  ): Promise<ProcessOutcome> {
    const { event } = received
    if (this.#isClosing) return await this.#release(claim, { status: 'closing', event })
    if (handler === undefined) return await this.#commit(claim, { status: 'unhandled', event })
    // The lease may have expired while this process was suspended; another worker may have claimed the event.
    if (monotonicNow(this.#options.clock) >= claimedAt + LEASE_MS) {
      return await this.#release(claim, { status: 'claim-lost', event })
    }
    const run = new HandlerRun(received, claim, claimedAt, this.#tools)
    return await this.#conclude(run, await run.call(handler))
  }

  async #conclude({ received, claim, isCommitted }: HandlerRun<Transaction>, end: HandlerEnd): Promise<ProcessOutcome> {
    const { event, abort } = received
    switch (end.status) {
      case 'returned':
        if (!isCommitted) return await this.#commit(claim, { status: 'applied', event })
        return await this.#confirmCommit(claim, { status: 'failed', event, error: new TransactionNotCommittedError() })
      case 'threw': {
        const isStopped = this.#isClosing && isAbort(end.error, abort.reason)
        return await this.#release(
          claim,
          isStopped ? { status: 'closing', event } : { status: 'failed', event, error: end.error },
        )
      }
      case 'lost':
        return await this.#release(claim, { status: 'claim-lost', event })
      case 'given-up': {
        const outcome: ProcessOutcome = { status: end.why, event }
        if (!isCommitted) return await this.#release(claim, outcome)
        // A transaction that is still open may block the store.
        return await this.#confirmCommit(claim, outcome).catch(() => outcome)
      }
    }
  }

  async #commit(claim: Claim, outcome: ProcessOutcome): Promise<ProcessOutcome> {
    const { event } = outcome
    try {
      const result = await this.#options.store.commit(claim)
      return result === 'lost' ? { status: 'claim-lost', event } : outcome
    } catch (error) {
      return await this.#release(claim, { status: 'store-failed', event, error })
    }
  }

  /**
   * Checks whether the handler's transaction has committed: if it has, a new claim returns `duplicate`. A renewal cannot answer this: it
   * returns `lost` both after a commit and after another worker's claim.
   *
   * @param otherwise  the outcome if the transaction did not commit
   */
  async #confirmCommit(claim: Claim, otherwise: ProcessOutcome): Promise<ProcessOutcome> {
    const answer = await this.#options.store.claim(claim.request)
    if (answer.status === 'duplicate') return { status: 'applied', event: otherwise.event }
    return await this.#release(answer.status === 'claimed' ? answer.claim : claim, otherwise)
  }

  async #release(claim: Claim, outcome: ProcessOutcome): Promise<ProcessOutcome> {
    try {
      await this.#options.store.release(claim)
    } catch {
      // Ignored: the claim ends when its lease expires.
    }
    return outcome
  }
}

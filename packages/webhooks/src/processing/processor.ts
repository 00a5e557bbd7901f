import { type Clock, monotonicNow, type UnknownEvent, type WebhookEvent } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { GateMode } from '../interfaces/revision-gate.ts'
import type { Claim, ReceiverStore } from '../interfaces/store.ts'
import { claimRequestOf, LEASE_MS } from './claim-request.ts'
import { ClaimedEvent } from './claimed-event.ts'
import { type HandlerEnd, HandlerRuns } from './handler-run.ts'
import {
  type EventHandler,
  type EventHandlers,
  type HandlerContext,
  handlerOf,
  type Prepare,
  TransactionNotCommittedError,
} from './handlers.ts'
import { isAbort } from './lazy-abort.ts'
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
  readonly #handlers: HandlerRuns<Transaction>
  #isClosing = false
  #closed: Promise<number> | undefined

  constructor(options: ProcessorOptions<Transaction>) {
    this.#options = options
    this.#tools = { ...options, waiters: this.#waiters }
    this.#handlers = new HandlerRuns(options)
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
    const { running } = this.#handlers
    await waitAtMost(clock, graceMs, Promise.all([processed, ...Array.from(running, ({ ended }) => ended)]))
    const stillRunning = running.size
    for (const { giveUp } of running) giveUp('closing')
    await waitAtMost(clock, RELEASE_WITHIN_MS, processed)
    return stillRunning
  }

  async #process(received: ReceivedEvent): Promise<ProcessOutcome> {
    const { event, attempt } = received
    const { on, onUnknown } = this.#options
    if (this.#isClosing) return { status: 'closing', event }
    const handler = handlerOf(event, on, onUnknown)
    const request = claimRequestOf(event, attempt.integration, handler !== undefined, this.#options)
    const requestedAt = monotonicNow(this.#options.clock)
    const { released } = this.#waiters
    try {
      let claim: TimedClaimResult = { result: await this.#options.store.claim(request), requestedAt }
      if (claim.result.status === 'busy') {
        claim = await claimWhenFree(this.#tools, request, received.abort, this.#waiters.released !== released)
        received.timing.waitedMs = claim.requestedAt - requestedAt
      }
      const { result } = claim
      if (result.status !== 'claimed') return { ...result, event }
      return await this.#apply(handler, new ClaimedEvent(received, result.claim, claim.requestedAt, this.#options))
    } catch (error) {
      return { status: 'store-failed', event, error }
    } finally {
      this.#waiters.release(request)
    }
  }

  async #apply(
    handler: EventHandler<WebhookEvent, HandlerContext<Transaction>> | undefined,
    claimed: ClaimedEvent<Transaction>,
  ): Promise<ProcessOutcome> {
    const { event } = claimed.received
    if (this.#isClosing) return await this.#release(claimed.claim, { status: 'closing', event })
    if (handler === undefined) return await this.#commit(claimed.claim, { status: 'unhandled', event })
    // The lease may have expired while this process was suspended; another worker may have claimed the event.
    if (monotonicNow(this.#options.clock) >= claimed.claimedAt + LEASE_MS) {
      return await this.#release(claimed.claim, { status: 'claim-lost', event })
    }
    const end = await this.#handlers.run(handler, claimed)
    const { claim, isCommitted } = claimed
    const outcome = this.#outcomeOf(claimed, end)
    if (isCommitted && end.status === 'returned') return await this.#confirmCommit(claim, outcome)
    // A transaction that is still open may block the store.
    if (isCommitted && end.status === 'given-up') return await this.#confirmCommit(claim, outcome).catch(() => outcome)
    return end.status === 'returned' ? await this.#commit(claim, outcome) : await this.#release(claim, outcome)
  }

  /** The outcome if what follows succeeds: the commit, or the release. */
  #outcomeOf({ received, isCommitted }: ClaimedEvent<Transaction>, end: HandlerEnd): ProcessOutcome {
    const { event, abort } = received
    switch (end.status) {
      case 'returned':
        return isCommitted
          ? { status: 'failed', event, error: new TransactionNotCommittedError() }
          : { status: 'applied', event }
      case 'threw':
        if (this.#isClosing && isAbort(end.error, abort.reason)) return { status: 'closing', event }
        return { status: 'failed', event, error: end.error }
      case 'lost':
        return { status: 'claim-lost', event }
      case 'given-up':
        return { status: end.why, event }
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

import { type Clock, monotonicNow, type UnknownEvent, type WebhookEvent } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { GateMode } from '../interfaces/revision-gate.ts'
import type { Claim, ClaimRequest, CommitResult, ReceiverStore } from '../interfaces/store.ts'
import { claimRequestOf } from './claim-request.ts'
import { type HandlerEnd, HandlerRun, type RunningHandler } from './handler-run.ts'
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
import { isThenable, whenSettled } from './when-settled.ts'

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
  readonly #processing = new Set<ReceivedEvent>()
  /** Includes handlers that still run after the processor stopped waiting for them. */
  readonly #runningHandlers = new Set<RunningHandler>()
  #isClosing = false
  #closed: Promise<number> | undefined

  constructor(options: ProcessorOptions<Transaction>) {
    this.#options = options
    this.#tools = { ...options, waiters: this.#waiters, runningHandlers: this.#runningHandlers }
  }

  /** Never throws or rejects: a failure is an outcome. The result is a promise if the store or the handler returns one. */
  process(event: WebhookEvent, attempt: AttemptContext): ProcessOutcome | Promise<ProcessOutcome> {
    const received = new ReceivedEvent(event, attempt)
    if (this.#isClosing) return this.#report(received, { status: 'closing', event })
    this.#processing.add(received)
    received.outcome = this.#process(received)
    return received.outcome
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
    for (const { abort } of this.#processing) abort.abort('the receiver is closing')
    // A synchronous handler may have called `close`: `process` has not returned yet, so its outcome is not set.
    await Promise.resolve()
    const processed = Promise.all(Array.from(this.#processing, ({ outcome }) => outcome))
    const handlersEnd = [...this.#runningHandlers].map(({ ended }) => ended)
    await waitAtMost(clock, graceMs, Promise.all([processed, ...handlersEnd]))
    const stillRunning = this.#runningHandlers.size
    for (const handler of this.#runningHandlers) handler.giveUp('closing')
    await waitAtMost(clock, RELEASE_WITHIN_MS, processed)
    return stillRunning
  }

  #process(received: ReceivedEvent): ProcessOutcome | Promise<ProcessOutcome> {
    const { event, attempt } = received
    const { on, onUnknown } = this.#options
    const handler = handlerOf(event, on, onUnknown)
    const request = claimRequestOf(event, attempt.integration, handler !== undefined, this.#options)
    const conclude = (outcome: ProcessOutcome): ProcessOutcome => {
      this.#waiters.release(request)
      this.#processing.delete(received)
      return this.#report(received, outcome)
    }
    const failed = (error: unknown) => conclude({ status: 'store-failed', event, error })
    try {
      const outcome = whenSettled(this.#claim(received, request), ({ result, requestedAt }) =>
        result.status === 'claimed' ? this.#apply(handler, received, result.claim, requestedAt) : { ...result, event },
      )
      return isThenable(outcome) ? outcome.then(conclude, failed) : conclude(outcome)
    } catch (error) {
      return failed(error)
    }
  }

  #claim({ abort, timing }: ReceivedEvent, request: ClaimRequest): TimedClaimResult | Promise<TimedClaimResult> {
    const arrivedAt = monotonicNow(this.#options.clock)
    const { released } = this.#waiters
    return whenSettled(this.#options.store.claim(request), (result) => {
      if (result.status !== 'busy') return { result, requestedAt: arrivedAt }
      const wasReleased = this.#waiters.released !== released
      return claimWhenFree(this.#tools, request, abort, wasReleased).then((claimed) => {
        timing.waitedMs = claimed.requestedAt - arrivedAt
        return claimed
      })
    })
  }

  #report({ timing, attempt }: ReceivedEvent, outcome: ProcessOutcome): ProcessOutcome {
    this.#options.reportOutcome(outcome, timing, attempt.integration)
    return outcome
  }

  #apply(
    handler: EventHandler<WebhookEvent, HandlerContext<Transaction>> | undefined,
    received: ReceivedEvent,
    claim: Claim,
    claimedAt: number,
  ): ProcessOutcome | Promise<ProcessOutcome> {
    const { event } = received
    if (this.#isClosing) return this.#release(claim, { status: 'closing', event })
    if (handler === undefined) return this.#commit(claim, { status: 'unhandled', event })
    // The lease may have expired while this process was suspended; another worker may have claimed the event.
    if (monotonicNow(this.#options.clock) >= claimedAt + LEASE_MS) {
      return this.#release(claim, { status: 'claim-lost', event })
    }
    const run = new HandlerRun(received, claim, claimedAt, this.#tools)
    const end = run.call(handler)
    return isThenable(end) ? end.then((later) => this.#conclude(run, later)) : this.#conclude(run, end)
  }

  #conclude(
    { received, claim, isCommitted }: HandlerRun<Transaction>,
    end: HandlerEnd,
  ): ProcessOutcome | Promise<ProcessOutcome> {
    const { event, abort } = received
    switch (end.status) {
      case 'returned':
        if (!isCommitted) return this.#commit(claim, { status: 'applied', event })
        return this.#confirmCommit(claim, { status: 'failed', event, error: new TransactionNotCommittedError() })
      case 'threw':
        if (this.#isClosing && isAbort(end.error, abort.reason))
          return this.#release(claim, { status: 'closing', event })
        return this.#release(claim, { status: 'failed', event, error: end.error })
      case 'lost':
        return this.#release(claim, { status: 'claim-lost', event })
      case 'given-up': {
        const outcome: ProcessOutcome = { status: end.why, event }
        if (!isCommitted) return this.#release(claim, outcome)
        // A transaction that is still open may block the store.
        return this.#confirmCommit(claim, outcome).catch(() => outcome)
      }
    }
  }

  #commit(claim: Claim, outcome: ProcessOutcome): ProcessOutcome | Promise<ProcessOutcome> {
    const { event } = outcome
    const conclude = (result: CommitResult): ProcessOutcome =>
      result === 'lost' ? { status: 'claim-lost', event } : outcome
    const failed = (error: unknown) => this.#release(claim, { status: 'store-failed', event, error })
    try {
      const result = this.#options.store.commit(claim)
      return isThenable(result) ? Promise.resolve(result).then(conclude, failed) : conclude(result)
    } catch (error) {
      return failed(error)
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

import { type Clock, type Logger, monotonicNow, type UnknownEvent, type WebhookEvent } from '@notewire/protocol'
import type { GateMode } from '../interfaces/revision-gate.ts'
import type { Claim, ReceiverStore } from '../interfaces/store.ts'
import { claimRequestOf, LEASE_MS } from './claim-request.ts'
import { type HandlerEnd, HandlerRuns } from './handler-run.ts'
import { type EventHandler, type EventHandlers, type HandlerContext, handlerOf, type Prepare } from './handlers.ts'
import { isAbort } from './lazy-abort.ts'
import { ClaimedEvent } from './lease.ts'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'
import { type AttemptContext, type HandlerResult, ReceivedEvent } from './received-event.ts'
import { waitAtMost } from './timers.ts'
import { BUSY_WAIT_MS, Waiters } from './waiters.ts'

/** After its grace, `close` waits this long for the store to release the claims of handlers that still run, in milliseconds. */
const RELEASE_WITHIN_MS = 5_000

/** What a processor needs, whose handlers get this context. */
export interface ProcessorOptions<Context, Store> {
  readonly on: EventHandlers<Context>
  readonly onUnknown: EventHandler<UnknownEvent, Context> | undefined
  readonly prepare: Prepare | undefined
  readonly store: Store
  readonly revisionGate: GateMode
  readonly dedupWindowMs: number
  /** How long a handler may take; with transactions, `prepare` and the transaction together. */
  readonly handlerTimeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
  /** Called with each outcome. Never throws. */
  readonly reportOutcome: (outcome: ProcessOutcome, timing: ProcessTiming, integration: string) => void
  /** Called once for each handler that ends after the processor has stopped waiting for it. Never throws. */
  readonly reportLateEnd: (event: WebhookEvent, end: HandlerResult, integration: string) => void
}

type Handler = EventHandler<WebhookEvent, HandlerContext>

/** Applies events once and in order of revision: claim, handler, commit; or release, if the handler fails. */
export class Processor {
  readonly #options: ProcessorOptions<HandlerContext, ReceiverStore>
  readonly #waiters: Waiters
  readonly #processing = new Map<ReceivedEvent, Promise<ProcessOutcome>>()
  readonly #handlers: HandlerRuns
  #isClosing = false
  #closed: Promise<number> | undefined

  constructor(options: ProcessorOptions<HandlerContext, ReceiverStore>) {
    this.#options = options
    this.#waiters = new Waiters(options.clock)
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
    await waitAtMost(clock, graceMs, Promise.all([processed, ...running.values()]))
    const stillRunning = running.size
    for (const received of running.keys()) received.giveUp('closing')
    await waitAtMost(clock, RELEASE_WITHIN_MS, processed)
    return stillRunning
  }

  async #process(received: ReceivedEvent): Promise<ProcessOutcome> {
    const { event, attempt, abort } = received
    const { on, onUnknown, store, clock } = this.#options
    if (this.#isClosing) return { status: 'closing', event }
    const handler = handlerOf(event, on, onUnknown)
    const request = claimRequestOf(event, attempt.integration, handler !== undefined, this.#options)
    const { released } = this.#waiters
    let requestedAt = monotonicNow(clock)
    try {
      let result = await store.claim(request)
      if (result.status === 'busy') {
        const arrivedAt = requestedAt
        const until = monotonicNow(clock) + BUSY_WAIT_MS
        const claim = async () => {
          requestedAt = monotonicNow(clock)
          return await store.claim(request)
        }
        result = await this.#waiters.retryWhileBusy({ request, abort, until, released, busy: result, attempt: claim })
        received.timing.waitedMs = requestedAt - arrivedAt
      }
      if (result.status !== 'claimed') return { ...result, event }
      return await this.#apply(handler, new ClaimedEvent(received, result.claim, requestedAt))
    } catch (error) {
      return { status: 'store-failed', event, error }
    } finally {
      this.#waiters.release(request)
    }
  }

  async #apply(handler: Handler | undefined, claimed: ClaimedEvent): Promise<ProcessOutcome> {
    const { event } = claimed.received
    if (this.#isClosing) return await this.#release(claimed.claim, { status: 'closing', event })
    if (handler === undefined) return await this.#commit(claimed.claim, { status: 'unhandled', event })
    // The lease may have expired while this process was suspended; another worker may have claimed the event.
    if (monotonicNow(this.#options.clock) >= claimed.claimedAt + LEASE_MS) {
      return await this.#release(claimed.claim, { status: 'claim-lost', event })
    }
    const end = await this.#handlers.run(handler, claimed)
    return end.status === 'returned'
      ? await this.#commit(claimed.claim, { status: 'applied', event })
      : await this.#release(claimed.claim, this.#failure(claimed.received, end))
  }

  #failure({ event, abort }: ReceivedEvent, end: Exclude<HandlerEnd, { status: 'returned' }>): ProcessOutcome {
    switch (end.status) {
      case 'threw':
        if (this.#isClosing && isAbort(end.error, abort.reason)) return { status: 'closing', event }
        return { status: 'failed', event, error: end.error }
      case 'lost':
        return { status: 'claim-lost', event }
      case 'given-up':
        return { status: end.why, event }
    }
  }

  /** @param outcome  the outcome if the commit succeeds */
  async #commit(claim: Claim, outcome: ProcessOutcome): Promise<ProcessOutcome> {
    const { event } = outcome
    try {
      const result = await this.#options.store.commit(claim)
      return result === 'lost' ? { status: 'claim-lost', event } : outcome
    } catch (error) {
      return await this.#release(claim, { status: 'store-failed', event, error })
    }
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

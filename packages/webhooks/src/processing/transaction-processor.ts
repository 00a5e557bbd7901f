import { type Clock, monotonicNow, OptionError, type UnknownEvent, type WebhookEvent } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { GateMode } from '../interfaces/revision-gate.ts'
import { TransactionEndedError, type TransactionStore } from '../interfaces/transaction-store.ts'
import { claimRequestOf } from './claim-request.ts'
import { type EventHandler, type EventHandlers, handlerOf, type Prepare, type TransactionContext } from './handlers.ts'
import { isAbort } from './lazy-abort.ts'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'
import { type AttemptContext, type HandlerResult, ReceivedEvent } from './received-event.ts'
import { waitAtMost } from './timers.ts'
import { TransactionRun } from './transaction-run.ts'
import { firstOf, Turns } from './turns.ts'

/** How long an event waits for its note before the receiver answers 503. */
const BUSY_WAIT_MS = 2_000

const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 250

/** After its grace, `close` waits this long for the transactions of handlers that still run to be rolled back. */
const ROLL_BACK_WITHIN_MS = 5_000

interface TransactionProcessorOptions<Transaction> {
  readonly on: EventHandlers<TransactionContext<Transaction>>
  readonly onUnknown: EventHandler<UnknownEvent, TransactionContext<Transaction>> | undefined
  readonly prepare: Prepare | undefined
  readonly store: TransactionStore<Transaction>
  readonly revisionGate: GateMode
  readonly dedupWindowMs: number
  /** How long `prepare` and the transaction may take together. */
  readonly handlerTimeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
  /** Called with each outcome. Never throws. */
  readonly reportOutcome: (outcome: ProcessOutcome, timing: ProcessTiming, integration: string) => void
  /** Called once for each handler that ends after the processor has stopped waiting for it. Never throws. */
  readonly reportLateEnd: (event: WebhookEvent, end: HandlerResult, integration: string) => void
}

/**
 * Applies each event exactly once: it looks whether the event is new, calls `prepare`, and then opens the transaction in which the store marks
 * the event, the handler writes, and both are committed.
 */
export class TransactionProcessor<Transaction> {
  readonly #options: TransactionProcessorOptions<Transaction>
  readonly #turns: Turns
  readonly #running = new Map<TransactionRun<Transaction>, Promise<ProcessOutcome>>()
  #isClosing = false
  #closed: Promise<number> | undefined

  constructor(options: TransactionProcessorOptions<Transaction>) {
    this.#options = options
    this.#turns = new Turns(options.clock)
  }

  /** Never rejects: a failure is an outcome. */
  async process(event: WebhookEvent, attempt: AttemptContext): Promise<ProcessOutcome> {
    const { on, onUnknown, reportOutcome } = this.#options
    const handler = handlerOf(event, on, onUnknown)
    const request = claimRequestOf(event, attempt.integration, handler !== undefined, this.#options)
    const received = new ReceivedEvent(event, attempt)
    const run = new TransactionRun(received, request, handler, this.#options)
    const outcome = this.#isClosing ? { status: 'closing' as const, event } : await this.#runUntilGivenUp(run)
    run.stopTimer()
    reportOutcome(outcome, received.timing, attempt.integration)
    return outcome
  }

  /**
   * Aborts the signals of running handlers, calls no more handlers, and waits up to `graceMs` for those that run. Then rolls back the
   * transactions of those that still run. A second call resolves with the first.
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
    for (const { received } of this.#running.keys()) received.abort.abort('the receiver is closing')
    await waitAtMost(clock, graceMs, Promise.all(this.#running.values()))
    const stillRunning = [...this.#running.keys()].filter(({ isRunning }) => isRunning).length
    const rolledBack = Promise.all(this.#running.values())
    for (const run of this.#running.keys()) run.giveUp('closing')
    await waitAtMost(clock, ROLL_BACK_WITHIN_MS, rolledBack)
    return stillRunning
  }

  /** Resolves at once when the event is given up, although its transaction may not be rolled back yet. */
  async #runUntilGivenUp(run: TransactionRun<Transaction>): Promise<ProcessOutcome> {
    const { event } = run.received
    const work = this.#inTurn(run).catch((error: unknown): ProcessOutcome => this.#failure(run, error))
    this.#running.set(run, work)
    void work.then(() => this.#running.delete(run))
    const givenUp = run.givenUp.then((): ProcessOutcome => ({ status: run.givenUpBecause ?? 'closing', event }))
    return await Promise.race([work, givenUp])
  }

  async #inTurn(run: TransactionRun<Transaction>): Promise<ProcessOutcome> {
    const { clock } = this.#options
    const { event, abort, timing } = run.received
    const arrivedAt = monotonicNow(clock)
    const waitUntil = arrivedAt + BUSY_WAIT_MS
    const endTurn = await this.#turns.take(run.request, waitUntil, abort)
    if (endTurn === undefined) return { status: this.#isClosing ? 'closing' : 'busy', event }
    try {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        timing.waitedMs = monotonicNow(clock) - arrivedAt
        const outcome = await this.#once(run)
        const leftMs = waitUntil - monotonicNow(clock)
        if (outcome.status !== 'busy' || leftMs <= 0 || abort.aborted) return outcome
        await firstOf(NEVER, clock, Math.min(pauseMs, leftMs), abort.signal)
      }
    } finally {
      endTurn()
    }
  }

  /** @returns `busy` if a later attempt may succeed */
  async #once(run: TransactionRun<Transaction>): Promise<ProcessOutcome> {
    const { store } = this.#options
    const { event } = run.received
    run.restart()
    const look = await store.look(run.request)
    if (look.status !== 'new') return { ...look, event }
    if (this.#isClosing) return { status: 'closing', event }
    const prepared = await run.prepare(look.seen.applied)
    if (run.givenUpBecause !== undefined) return { status: run.givenUpBecause, event }
    const result = await store.transact(run.request, look.seen, run.work(look.seen, prepared))
    if (result.status === 'committed') return { status: run.hasHandler ? 'applied' : 'unhandled', event }
    return { status: 'busy', event, ...('error' in result && { error: result.error }) }
  }

  #failure({ received, end }: TransactionRun<Transaction>, error: unknown): ProcessOutcome {
    const { event, abort } = received
    if (end?.status === 'threw') {
      if (this.#isClosing && isAbort(end.error, abort.reason)) return { status: 'closing', event }
      return { status: 'failed', event, error: end.error }
    }
    const isHandlersFault = error instanceof TransactionEndedError || error instanceof OptionError
    return { status: isHandlersFault ? 'failed' : 'store-failed', event, error }
  }
}

const NEVER = new Promise<void>(() => undefined)

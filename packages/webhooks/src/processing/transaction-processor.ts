import { monotonicNow, OptionError, type WebhookEvent } from '@notewire/protocol'
import { TransactionEndedError, type TransactionStore } from '../interfaces/transaction-store.ts'
import { claimRequestOf } from './claim-request.ts'
import { handlerOf, type TransactionContext } from './handlers.ts'
import { isAbort } from './lazy-abort.ts'
import type { ProcessOutcome } from './outcome.ts'
import type { ProcessorOptions } from './processor.ts'
import { type AttemptContext, ReceivedEvent } from './received-event.ts'
import { waitAtMost } from './timers.ts'
import { TransactionRun } from './transaction-run.ts'
import { BUSY_WAIT_MS, keyOf, Waiters } from './waiters.ts'

/** After its grace, `close` waits this long for the transactions of handlers that still run to be rolled back. */
const ROLL_BACK_WITHIN_MS = 5_000

/**
 * Applies each event exactly once: it looks whether the event is new, calls `prepare`, and then opens the transaction in which the store marks
 * the event, the handler writes, and both are committed.
 */
export class TransactionProcessor<Transaction> {
  readonly #options: ProcessorOptions<TransactionContext<Transaction>, TransactionStore<Transaction>>
  readonly #waiters: Waiters
  /**
   * The notes that this process is working on, one event of each at a time: otherwise, many events of one note would each hold a connection
   * while they wait for the same row.
   */
  readonly #held = new Set<string>()
  readonly #running = new Map<TransactionRun<Transaction>, Promise<ProcessOutcome>>()
  #isClosing = false
  #closed: Promise<number> | undefined

  constructor(options: ProcessorOptions<TransactionContext<Transaction>, TransactionStore<Transaction>>) {
    this.#options = options
    this.#waiters = new Waiters(options.clock)
  }

  /** Never rejects: a failure is an outcome. Resolves when the transaction has ended, also when the event is given up. */
  async process(event: WebhookEvent, attempt: AttemptContext): Promise<ProcessOutcome> {
    const { on, onUnknown, reportOutcome } = this.#options
    const handler = handlerOf(event, on, onUnknown)
    const request = claimRequestOf(event, attempt.integration, handler !== undefined, this.#options)
    const received = new ReceivedEvent(event, attempt)
    const run = new TransactionRun(received, request, handler, this.#options)
    const work = this.#process(run)
    this.#running.set(run, work)
    const outcome = await work
    this.#running.delete(run)
    run.endLimit()
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

  async #process(run: TransactionRun<Transaction>): Promise<ProcessOutcome> {
    try {
      return await this.#untilFree(run)
    } catch (error) {
      return this.#failure(run, error)
    }
  }

  async #untilFree(run: TransactionRun<Transaction>): Promise<ProcessOutcome> {
    const { request, received } = run
    const { event, abort, timing } = received
    const arrivedAt = monotonicNow(this.#options.clock)
    const attempt = async () => {
      timing.waitedMs = monotonicNow(this.#options.clock) - arrivedAt
      return this.#isClosing ? { status: 'closing' as const, event } : await this.#ifFree(run)
    }
    const { released } = this.#waiters
    const busy = await attempt()
    if (busy.status !== 'busy') return busy
    const until = arrivedAt + BUSY_WAIT_MS
    const outcome = await this.#waiters.retryWhileBusy({ request, abort, until, released, busy, attempt })
    return outcome.status === 'busy' && this.#isClosing ? { status: 'closing', event } : outcome
  }

  async #ifFree(run: TransactionRun<Transaction>): Promise<ProcessOutcome> {
    const { request, received } = run
    const key = keyOf(request)
    if (this.#held.has(key)) return { status: 'busy', event: received.event }
    this.#held.add(key)
    let outcome: ProcessOutcome | undefined
    try {
      outcome = await this.#once(run)
      return outcome
    } finally {
      this.#held.delete(key)
      // If another process holds the note, the next event of it would be busy, too.
      if (outcome?.status !== 'busy') this.#waiters.release(request)
    }
  }

  /** @returns `busy` if a later attempt may succeed */
  async #once(run: TransactionRun<Transaction>): Promise<ProcessOutcome> {
    const { store } = this.#options
    const { received } = run
    const { event } = received
    run.restart()
    const look = await store.look(run.request)
    if (look.status !== 'new') return { ...look, event }
    if (this.#isClosing) return { status: 'closing', event }
    const prepared = await run.prepare(look.seen.applied)
    if (received.givenUpBecause !== undefined) return { status: received.givenUpBecause, event }
    const result = await store.transact(run.request, look.seen, run.work(look.seen, prepared))
    if (result.status === 'committed') return { status: run.hasHandler ? 'applied' : 'unhandled', event }
    if (result.status === 'refused') return { status: 'failed', event, error: result.error }
    return { status: 'busy', event, ...('error' in result && { error: result.error }) }
  }

  #failure({ received, end }: TransactionRun<Transaction>, error: unknown): ProcessOutcome {
    const { event, abort, givenUpBecause } = received
    if (givenUpBecause !== undefined) return { status: givenUpBecause, event }
    if (end?.status === 'threw') {
      if (this.#isClosing && isAbort(end.error, abort.reason)) return { status: 'closing', event }
      return { status: 'failed', event, error: end.error }
    }
    // A pool of the wrong shape is a failure of the store: no attempt of a handler has failed.
    const isOfPool = error instanceof OptionError && error.option === 'pool'
    const isHandlersFault = error instanceof TransactionEndedError || (error instanceof OptionError && !isOfPool)
    return { status: isHandlersFault ? 'failed' : 'store-failed', event, error }
  }
}

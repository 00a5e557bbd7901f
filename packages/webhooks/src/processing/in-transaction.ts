import { monotonicNow, OptionError, type WebhookEvent } from '@notewire/protocol'
import type { NoteChange } from '../interfaces/revision-gate.ts'
import type { ClaimRequest } from '../interfaces/store.ts'
import {
  type Seen,
  TransactionEndedError,
  type TransactionStore,
  type TransactionWork,
} from '../interfaces/transaction-store.ts'
import { claimRequestOf, withRevision } from './claim-request.ts'
import type { Mode } from './desk.ts'
import type { EventRun } from './event-run.ts'
import { type EventHandler, handlerOf, type TransactionContext } from './handlers.ts'
import type { HandlingOptions } from './leased.ts'
import type { ProcessOutcome } from './outcome.ts'
import { BUSY_WAIT_MS, keyOf, Waiters } from './waiters.ts'

/** An event, what the store needs to decide on it, and its handler. */
interface Handled<Transaction> {
  readonly run: EventRun
  readonly request: ClaimRequest
  readonly handler: EventHandler<WebhookEvent, TransactionContext<Transaction>> | undefined
}

/**
 * Applies each event exactly once: looks whether the event is new, calls `prepare`, and then opens the transaction in which the store marks
 * the event, the handler writes, and both are committed.
 */
export class TransactionMode<Transaction> implements Mode {
  readonly undoes = true
  readonly #options: HandlingOptions<TransactionContext<Transaction>, TransactionStore<Transaction>>
  readonly #waiters: Waiters
  /**
   * The notes that this process is working on, one event of each at a time: otherwise, many events of one note would each hold a connection
   * while they wait for the same row.
   */
  readonly #held = new Set<string>()

  constructor(options: HandlingOptions<TransactionContext<Transaction>, TransactionStore<Transaction>>) {
    this.#options = options
    this.#waiters = new Waiters(options.clock)
  }

  /** Resolves when the transaction has ended, also when the event is given up. */
  async run(run: EventRun): Promise<ProcessOutcome> {
    const { event, attempt } = run
    const { on, onUnknown } = this.#options
    const handler = handlerOf(event, on, onUnknown)
    const request = claimRequestOf(event, attempt.integration, handler !== undefined, this.#options)
    try {
      return await this.#untilFree({ run, request, handler })
    } catch (error) {
      return failureOf(run, error)
    }
  }

  async #untilFree(handled: Handled<Transaction>): Promise<ProcessOutcome> {
    const { run, request } = handled
    const { event, abort, timing } = run
    const { clock } = this.#options
    const arrivedAt = monotonicNow(clock)
    const attempt = async () => {
      timing.waitedMs = monotonicNow(clock) - arrivedAt
      return run.isClosing ? { status: 'closing' as const, event } : await this.#ifFree(handled)
    }
    const { released } = this.#waiters
    const busy = await attempt()
    if (busy.status !== 'busy') return busy
    const until = arrivedAt + BUSY_WAIT_MS
    const outcome = await this.#waiters.retryWhileBusy({ request, abort, until, released, busy, attempt })
    return outcome.status === 'busy' && run.isClosing ? { status: 'closing', event } : outcome
  }

  async #ifFree(handled: Handled<Transaction>): Promise<ProcessOutcome> {
    const { run, request } = handled
    const key = keyOf(request)
    if (this.#held.has(key)) return { status: 'busy', event: run.event }
    this.#held.add(key)
    let outcome: ProcessOutcome | undefined
    try {
      outcome = await this.#once(handled)
      return outcome
    } finally {
      this.#held.delete(key)
      // If another process holds the note, the next event of it would be busy, too.
      if (outcome?.status !== 'busy') this.#waiters.release(request)
    }
  }

  /** @returns `busy` if a later attempt may succeed */
  async #once(handled: Handled<Transaction>): Promise<ProcessOutcome> {
    const { store } = this.#options
    const { run, request, handler } = handled
    const { event } = run
    run.restart()
    const look = await store.look(request)
    if (look.status !== 'new') return { ...look, event }
    if (run.isClosing) return { status: 'closing', event }
    const prepared = await this.#prepare(handled, look.seen)
    if (run.givenUpBecause !== undefined) return { status: run.givenUpBecause, event }
    const result = await store.transact(request, look.seen, workOf(handled, look.seen, prepared))
    if (result.status === 'committed') return { status: handler === undefined ? 'unhandled' : 'applied', event }
    if (result.status === 'refused') return { status: 'failed', event, error: result.error }
    return { status: 'busy', event, ...('error' in result && { error: result.error }) }
  }

  async #prepare({ run, handler }: Handled<Transaction>, { applied }: Seen): Promise<unknown> {
    const { prepare } = this.#options
    if (prepare === undefined || handler === undefined) return undefined
    const prepared = await Promise.race([run.call(() => prepare(run.event, run.context(applied))), run.givenUp])
    run.restart()
    return prepared
  }
}

/** What the store does in the transaction. */
function workOf<Transaction>(
  { run, handler, request: known }: Handled<Transaction>,
  { applied }: Seen,
  prepared: unknown,
): TransactionWork<Transaction> {
  let request = known
  const setAppliedRevision = (revision: number) => {
    request = withRevision(request, revision)
  }
  return {
    call: (transaction) => {
      if (handler === undefined) return undefined
      const context = Object.assign(run.context(applied), { transaction, prepared, setAppliedRevision })
      return run.call(() => handler(run.event, context))
    },
    change: (): NoteChange | undefined => request.note?.change,
    givenUp: run.givenUp,
  }
}

function failureOf(run: EventRun, error: unknown): ProcessOutcome {
  const { event, end, givenUpBecause } = run
  if (givenUpBecause !== undefined) return { status: givenUpBecause, event }
  if (end?.status === 'threw') return run.failed(end.error)
  // A pool of the wrong shape is a failure of the store: no attempt of a handler has failed.
  const isOfPool = error instanceof OptionError && error.option === 'pool'
  const isHandlersFault = error instanceof TransactionEndedError || (error instanceof OptionError && !isOfPool)
  return { status: isHandlersFault ? 'failed' : 'store-failed', event, error }
}

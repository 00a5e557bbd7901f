import { monotonicNow, refuseResponse, type WebhookEvent } from '@notewire/protocol'
import type { AppliedRevision, NoteChange } from '../interfaces/revision-gate.ts'
import type { ClaimRequest } from '../interfaces/store.ts'
import type { Seen, TransactionStore, TransactionWork } from '../interfaces/transaction-store.ts'
import { withRevision } from './claim-request.ts'
import type { EventHandler, TransactionContext } from './handlers.ts'
import type { ProcessorOptions } from './processor.ts'
import type { GivenUpBecause, HandlerResult, ReceivedEvent } from './received-event.ts'
import { Alarm } from './timers.ts'

type Options<Transaction> = ProcessorOptions<TransactionContext<Transaction>, TransactionStore<Transaction>>

/** One event in a receiver with transactions: what `prepare` and the handler get, their time limit, and how they end. */
export class TransactionRun<Transaction> {
  readonly received: ReceivedEvent
  readonly request: ClaimRequest
  readonly #handler: EventHandler<WebhookEvent, TransactionContext<Transaction>> | undefined
  readonly #options: Options<Transaction>
  #end: HandlerResult | undefined
  #isRunning = false
  #beganAt: number | undefined
  #endLimit: () => void = () => undefined

  constructor(
    received: ReceivedEvent,
    request: ClaimRequest,
    handler: EventHandler<WebhookEvent, TransactionContext<Transaction>> | undefined,
    options: Options<Transaction>,
  ) {
    this.received = received
    this.request = request
    this.#handler = handler
    this.#options = options
  }

  get hasHandler(): boolean {
    return this.#handler !== undefined
  }

  /** How `prepare` or the handler ended last, if it was called and has ended. */
  get end(): HandlerResult | undefined {
    return this.#end
  }

  /** Whether `prepare` or the handler is running. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Forgets how an earlier attempt ended. */
  restart(): void {
    this.#end = undefined
  }

  /** Stops waiting, unless the handler has returned: the transaction is then being committed. */
  giveUp(why: GivenUpBecause): void {
    if (this.#end?.status !== 'returned') this.received.giveUp(why)
  }

  /** Call it when the event has an outcome. */
  endLimit(): void {
    this.#endLimit()
    const { timing } = this.received
    if (this.#beganAt !== undefined) timing.handlerMs ??= monotonicNow(this.#options.clock) - this.#beganAt
  }

  /**
   * Calls the option `prepare`.
   *
   * @throws what it throws; afterwards, `end` is set
   */
  async prepare(applied: AppliedRevision | undefined): Promise<unknown> {
    const { prepare, logger } = this.#options
    const { event, givenUp } = this.received
    if (prepare === undefined || this.#handler === undefined) return undefined
    const work = this.#watched(() => prepare(event, this.received.context(applied, logger)))
    const prepared = await Promise.race([work, givenUp])
    this.#end = undefined
    return prepared
  }

  /** What the store does in the transaction. */
  work({ applied }: Seen, prepared: unknown): TransactionWork<Transaction> {
    let { request } = this
    const setAppliedRevision = (revision: number) => {
      request = withRevision(request, revision)
    }
    return {
      call: (transaction) => {
        const handler = this.#handler
        if (handler === undefined) return undefined
        const context = this.received.context(applied, this.#options.logger)
        const own = { transaction, prepared, setAppliedRevision }
        return this.#watched(() => handler(this.received.event, Object.assign(context, own)))
      },
      change: (): NoteChange | undefined => request.note?.change,
      givenUp: this.received.givenUp,
    }
  }

  /** Calls a function of the user at once. Returns what it returns, and remembers how it ended. */
  #watched(call: () => unknown): unknown {
    if (this.received.givenUpBecause !== undefined) throw new Error('the receiver has given the event up')
    this.#startLimit()
    this.#end = undefined
    this.#isRunning = true
    try {
      const work = call()
      if (isPromise(work)) return this.#watchedLater(work)
      refuseResponse(work)
      this.#ended({ status: 'returned' })
      return work
    } catch (error) {
      this.#ended({ status: 'threw', error })
      throw error
    }
  }

  async #watchedLater(work: PromiseLike<unknown>): Promise<unknown> {
    try {
      const result = await work
      refuseResponse(result)
      this.#ended({ status: 'returned' })
      return result
    } catch (error) {
      this.#ended({ status: 'threw', error })
      throw error
    }
  }

  #ended(end: HandlerResult): void {
    const { event, attempt, givenUpBecause } = this.received
    this.#isRunning = false
    if (givenUpBecause !== undefined) this.#options.reportLateEnd(event, end, attempt.integration)
    else this.#end = end
  }

  #startLimit(): void {
    if (this.#beganAt !== undefined) return
    const { clock, handlerTimeoutMs } = this.#options
    const alarm = this.received.attempt.alarm ?? new Alarm(clock)
    this.#beganAt = monotonicNow(clock)
    this.#endLimit = this.received.limit(alarm, clock, handlerTimeoutMs, (why) => this.giveUp(why))
  }
}

// A transaction of SQLite ends with the handler: it cannot wait for a promise.
function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}

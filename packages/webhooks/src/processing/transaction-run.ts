import { type Clock, monotonicNow, refuseResponse, type WebhookEvent } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { AppliedRevision, NoteChange } from '../interfaces/revision-gate.ts'
import type { ClaimRequest } from '../interfaces/store.ts'
import type { Seen, TransactionWork } from '../interfaces/transaction-store.ts'
import { Alarm } from './alarm.ts'
import { withRevision } from './claim-request.ts'
import type { EventHandler, Prepare, TransactionContext } from './handlers.ts'
import type { GivenUpBecause, HandlerResult, ReceivedEvent } from './received-event.ts'

interface Tools {
  readonly prepare: Prepare | undefined
  readonly clock: Clock
  readonly logger: Logger
  readonly handlerTimeoutMs: number
  /** Called if `prepare` or the handler ends after it was given up. Never throws. */
  readonly reportLateEnd: (event: WebhookEvent, end: HandlerResult, integration: string) => void
}

/** One event in a receiver with transactions: what `prepare` and the handler get, their time limit, and how they end. */
export class TransactionRun<Transaction> {
  readonly received: ReceivedEvent
  readonly request: ClaimRequest
  /** Resolves when the receiver stops waiting for this event. */
  readonly givenUp: Promise<void>
  readonly #handler: EventHandler<WebhookEvent, TransactionContext<Transaction>> | undefined
  readonly #tools: Tools
  #resolveGivenUp: () => void = () => undefined
  #givenUpBecause: GivenUpBecause | undefined
  #end: HandlerResult | undefined
  #isRunning = false
  #beganAt: number | undefined
  #endTimer: (() => void) | undefined

  constructor(
    received: ReceivedEvent,
    request: ClaimRequest,
    handler: EventHandler<WebhookEvent, TransactionContext<Transaction>> | undefined,
    tools: Tools,
  ) {
    this.received = received
    this.request = request
    this.#handler = handler
    this.#tools = tools
    this.givenUp = new Promise((resolve) => {
      this.#resolveGivenUp = resolve
    })
  }

  /** Why the receiver stopped waiting. */
  get givenUpBecause(): GivenUpBecause | undefined {
    return this.#givenUpBecause
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
    if (this.#givenUpBecause !== undefined || this.#end?.status === 'returned') return
    this.#givenUpBecause = why
    this.stopTimer()
    this.#resolveGivenUp()
  }

  /** The timer would keep a process alive. Call it when the event has an outcome. */
  stopTimer(): void {
    this.#endTimer?.()
    if (this.#beganAt !== undefined) this.received.timing.handlerMs ??= monotonicNow(this.#tools.clock) - this.#beganAt
  }

  /**
   * Calls the option `prepare`.
   *
   * @throws what it throws; afterwards, `end` is set
   */
  async prepare(applied: AppliedRevision | undefined): Promise<unknown> {
    const { prepare, logger } = this.#tools
    const { event } = this.received
    if (prepare === undefined || this.#handler === undefined) return undefined
    this.#startTimer()
    const work = this.#watched(() => prepare(event, this.received.context(applied, logger)))
    const prepared = await Promise.race([work, this.givenUp])
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
        this.#startTimer()
        const context = this.received.context(applied, this.#tools.logger)
        const own = { transaction, prepared, setAppliedRevision }
        return this.#watched(() => handler(this.received.event, Object.assign(context, own)))
      },
      change: (): NoteChange | undefined => request.note?.change,
      givenUp: this.givenUp,
    }
  }

  /** Calls a function of the user at once. Returns what it returns, and remembers how it ended. */
  #watched(call: () => unknown): unknown {
    if (this.#givenUpBecause !== undefined) throw new Error('the receiver has given the event up')
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
    const { event, attempt } = this.received
    this.#isRunning = false
    if (this.#givenUpBecause !== undefined) this.#tools.reportLateEnd(event, end, attempt.integration)
    else this.#end = end
  }

  #startTimer(): void {
    if (this.#beganAt !== undefined) return
    const { clock } = this.#tools
    const { abort, attempt } = this.received
    const timeoutMs = this.#tools.handlerTimeoutMs
    const alarm = attempt.alarm ?? new Alarm(clock)
    const timeOut = () => {
      abort.abort(`the event took longer than handlerTimeoutMs (${timeoutMs} ms)`)
      this.giveUp('handler-timeout')
    }
    this.#beganAt = monotonicNow(clock)
    this.#endTimer = () => alarm.clear(timeOut)
    alarm.set(timeOut, this.#beganAt + timeoutMs)
  }
}

// A transaction of SQLite ends with the handler: it cannot wait for a promise.
function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}

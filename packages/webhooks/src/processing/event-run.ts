import { type Clock, type Logger, monotonicNow, refuseResponse, type WebhookEvent } from '@notewire/protocol'
import type { AppliedRevision } from '../interfaces/revision-gate.ts'
import { Alarm } from '../timing/timers.ts'
import { type AttemptHeaders, readHeaders } from '../verifier/signature-headers.ts'
import { ReceivedContext } from './event-context.ts'
import type { EventContext } from './handlers.ts'
import { isAbort, LazyAbort } from './lazy-abort.ts'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'

/** The facts about the attempt that delivered an event. */
export interface AttemptContext {
  readonly integration: string
  readonly deadlineAt?: number | undefined
  readonly headers?: AttemptHeaders | undefined
  /** The timer of the delivery, if there is one. */
  readonly alarm?: Alarm | undefined
}

/** Whether a function of the user returned or threw. */
export type CallResult = { readonly status: 'returned' } | { readonly status: 'threw'; readonly error: unknown }

/** Why the receiver stopped waiting for a function of the user. */
export type GivenUpBecause = 'handler-timeout' | 'closing'

export interface RunTools {
  readonly clock: Clock
  readonly logger: Logger
  /** How long the functions of the user may take together. Without a limit, an event is never given up. */
  readonly handlerTimeoutMs?: number | undefined
  /** Called once for each function of the user that ends after the event was given up. Never throws. */
  readonly reportLateEnd: (event: WebhookEvent, end: CallResult, integration: string) => void
}

const RETURNED: CallResult = { status: 'returned' }

/** An event that is being processed: how the functions of the user are called for it, their time limit, and how they end. */
export class EventRun {
  readonly event: WebhookEvent
  readonly attempt: AttemptContext
  readonly abort = new LazyAbort()
  readonly timing: { -readonly [Part in keyof ProcessTiming]: ProcessTiming[Part] } = {
    waitedMs: 0,
    handlerMs: undefined,
  }
  readonly #tools: RunTools
  #alarm: Alarm | undefined
  #headers: Headers | undefined
  #isClosing = false
  #givenUpBecause: GivenUpBecause | undefined
  #givenUp: PromiseWithResolvers<GivenUpBecause> | undefined
  #beganAt: number | undefined
  #end: CallResult | undefined
  #running: Promise<unknown> | undefined

  constructor(event: WebhookEvent, attempt: AttemptContext, tools: RunTools) {
    this.event = event
    this.attempt = attempt
    this.#tools = tools
  }

  /** How the function of the user ended that was called last. `undefined` while it runs, and after the event was given up. */
  get end(): CallResult | undefined {
    return this.#end
  }

  /** Whether a function of the user is running. */
  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Whether the receiver is closing: no function of the user may be called. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  /** Why the receiver stopped waiting for the function of the user. */
  get givenUpBecause(): GivenUpBecause | undefined {
    return this.#givenUpBecause
  }

  /** Resolves when the event is given up. Created when it is first read: most events have an outcome by then. */
  get givenUp(): Promise<GivenUpBecause> {
    this.#givenUp ??= Promise.withResolvers()
    if (this.#givenUpBecause !== undefined) this.#givenUp.resolve(this.#givenUpBecause)
    return this.#givenUp.promise
  }

  get headers(): Headers {
    this.#headers ??= readHeaders(this.attempt.headers ?? {})
    return this.#headers
  }

  get alarm(): Alarm {
    this.#alarm ??= this.attempt.alarm ?? new Alarm(this.#tools.clock)
    return this.#alarm
  }

  /**
   * Calls a function of the user at once, and returns what it returns. `end` then says how it ended.
   *
   * @throws what it throws, or an error if the event was given up
   */
  call(work: () => unknown): unknown {
    if (this.#givenUpBecause !== undefined) throw new Error('the receiver has given the event up')
    this.#beganAt ??= monotonicNow(this.#tools.clock)
    this.#end = undefined
    try {
      const result = work()
      if (isPromise(result)) return this.#watch(result)
      refuseResponse(result)
      this.#end = RETURNED
      return result
    } catch (error) {
      this.#end = { status: 'threw', error }
      throw error
    }
  }

  /** Forgets how the last function of the user ended: another is about to be called. */
  restart(): void {
    this.#end = undefined
  }

  /** Resolves when the function of the user that is running has ended. */
  async ended(): Promise<void> {
    await this.#running?.catch(() => undefined)
  }

  /** Ends the time limit, whose timer would keep the process alive, and takes the time. */
  finish(): void {
    this.#alarm?.clear(this.#timeOut)
    if (this.#beganAt !== undefined) this.timing.handlerMs ??= monotonicNow(this.#tools.clock) - this.#beganAt
  }

  /** Tells the functions of the user that the receiver is closing. */
  close(): void {
    this.#isClosing = true
    this.abort.abort('the receiver is closing')
  }

  /** Stops waiting for the function of the user, unless it has returned: then the event is about to be committed. */
  giveUp(why: GivenUpBecause): void {
    if (this.#end?.status === 'returned') return
    this.#givenUpBecause ??= why
    this.#givenUp?.resolve(this.#givenUpBecause)
  }

  /** The outcome after a function of the user threw. */
  failed(error: unknown): ProcessOutcome {
    const { event } = this
    return this.#isClosing && isAbort(error, this.abort.reason)
      ? { status: 'closing', event }
      : { status: 'failed', event, error }
  }

  /** What every function of the user gets. */
  context(applied: AppliedRevision | undefined): EventContext {
    return new ReceivedContext(this, applied, this.#tools.logger)
  }

  #watch(work: PromiseLike<unknown>): Promise<unknown> {
    const { handlerTimeoutMs } = this.#tools
    if (handlerTimeoutMs !== undefined && this.#beganAt !== undefined) {
      this.alarm.set(this.#timeOut, this.#beganAt + handlerTimeoutMs)
    }
    this.#running = this.#untilEnd(work)
    return this.#running
  }

  async #untilEnd(work: PromiseLike<unknown>): Promise<unknown> {
    try {
      const result = await work
      refuseResponse(result)
      this.#ended(RETURNED)
      return result
    } catch (error) {
      this.#ended({ status: 'threw', error })
      throw error
    }
  }

  #ended(end: CallResult): void {
    this.#running = undefined
    if (this.#givenUpBecause === undefined) this.#end = end
    else this.#tools.reportLateEnd(this.event, end, this.attempt.integration)
  }

  readonly #timeOut = (): void => {
    this.abort.abort(`the handler took longer than handlerTimeoutMs (${this.#tools.handlerTimeoutMs} ms)`)
    this.giveUp('handler-timeout')
  }
}

/** A synchronous function of the user has ended when it returns: it needs no timer, and a transaction of SQLite ends with it. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}

import { type Clock, type Logger, monotonicNow, type WebhookEvent } from '@notewire/protocol'
import type { AppliedRevision } from '../interfaces/revision-gate.ts'
import { type AttemptHeaders, readHeaders } from '../verifier/signature-headers.ts'
import type { EventContext } from './handlers.ts'
import { LazyAbort } from './lazy-abort.ts'
import type { ProcessTiming } from './outcome.ts'
import type { Alarm } from './timers.ts'

/** The facts about the attempt that delivered an event, and the time limit of its handler. */
export interface AttemptContext {
  readonly integration: string
  readonly deadlineAt?: number | undefined
  readonly headers?: AttemptHeaders | undefined
  /** The timer of the delivery, if there is one. */
  readonly alarm?: Alarm | undefined
}

/** Whether a handler returned or threw. */
export type HandlerResult = { readonly status: 'returned' } | { readonly status: 'threw'; readonly error: unknown }

/** Why the receiver stopped waiting for a handler. */
export type GivenUpBecause = 'handler-timeout' | 'closing'

/** An event that is being processed. */
export class ReceivedEvent {
  readonly event: WebhookEvent
  readonly attempt: AttemptContext
  readonly abort = new LazyAbort()
  readonly timing: { -readonly [Part in keyof ProcessTiming]: ProcessTiming[Part] } = {
    waitedMs: 0,
    handlerMs: undefined,
  }
  #givenUpBecause: GivenUpBecause | undefined
  #givenUp: PromiseWithResolvers<GivenUpBecause> | undefined
  #headers: Headers | undefined

  constructor(event: WebhookEvent, attempt: AttemptContext) {
    this.event = event
    this.attempt = attempt
  }

  get headers(): Headers {
    this.#headers ??= readHeaders(this.attempt.headers ?? {})
    return this.#headers
  }

  /** Why the receiver stopped waiting for the handler. */
  get givenUpBecause(): GivenUpBecause | undefined {
    return this.#givenUpBecause
  }

  /** Resolves when the receiver stops waiting for the handler. Created when it is first read: most handlers have ended by then. */
  get givenUp(): Promise<GivenUpBecause> {
    this.#givenUp ??= Promise.withResolvers()
    if (this.#givenUpBecause !== undefined) this.#givenUp.resolve(this.#givenUpBecause)
    return this.#givenUp.promise
  }

  /** Stops waiting for the handler. */
  giveUp(why: GivenUpBecause): void {
    this.#givenUpBecause ??= why
    this.#givenUp?.resolve(why)
  }

  /**
   * Limits the time of the handler: then aborts its signal and calls `giveUp`.
   *
   * @returns ends the limit, whose timer would keep the process alive
   */
  limit(alarm: Alarm, clock: Clock, timeoutMs: number, giveUp: (why: GivenUpBecause) => void): () => void {
    const timeOut = () => {
      this.abort.abort(`the handler took longer than handlerTimeoutMs (${timeoutMs} ms)`)
      giveUp('handler-timeout')
    }
    alarm.set(timeOut, monotonicNow(clock) + timeoutMs)
    return () => alarm.clear(timeOut)
  }

  /** What every handler gets. */
  context(applied: AppliedRevision | undefined, logger: Logger): EventContext {
    return new ReceivedContext(this, applied, logger)
  }
}

/**
 * Most handlers read neither the signal nor the headers nor the logger, so each is created when it is read. The getters are properties of the
 * object, and not of the class, so that a copy by `{ ...context }` has them.
 */
class ReceivedContext implements EventContext {
  readonly applied: AppliedRevision | undefined
  readonly integration: string
  readonly deadlineAt: number | undefined
  declare readonly signal: AbortSignal
  declare readonly headers: Headers
  declare readonly logger: Logger
  readonly #received: ReceivedEvent
  readonly #logger: Logger

  constructor(received: ReceivedEvent, applied: AppliedRevision | undefined, logger: Logger) {
    const { integration, deadlineAt } = received.attempt
    this.applied = applied
    this.integration = integration
    this.deadlineAt = deadlineAt
    this.#received = received
    this.#logger = logger
    // Getters of an object literal would be new functions for each event, for which V8 would keep a new hidden class until a full collection.
    Object.defineProperty(this, 'signal', ReceivedContext.#SIGNAL)
    Object.defineProperty(this, 'headers', ReceivedContext.#HEADERS)
    Object.defineProperty(this, 'logger', ReceivedContext.#LOGGER)
  }

  static readonly #SIGNAL = getter(function (this: ReceivedContext) {
    return this.#received.abort.signal
  })
  static readonly #HEADERS = getter(function (this: ReceivedContext) {
    return this.#received.headers
  })
  static readonly #LOGGER = getter(function (this: ReceivedContext) {
    const { event, attempt } = this.#received
    return withFields(this.#logger, fieldsOf(event, attempt.integration))
  })
}

function getter<Value>(get: (this: ReceivedContext) => Value): PropertyDescriptor {
  return { enumerable: true, get }
}

/** A logger that adds the same fields to every line. */
function withFields(logger: Logger, fields: Readonly<Record<string, unknown>>): Logger {
  return {
    info: (message, more) => logger.info(message, { ...fields, ...more }),
    warn: (message, more) => logger.warn(message, { ...fields, ...more }),
    error: (message, more) => logger.error(message, { ...fields, ...more }),
  }
}

/** The log field of an integration. Omitted for `default`, because a program with one integration does not need it. */
export function integrationField(integration: string | undefined): { readonly integration?: string } {
  return integration === undefined || integration === 'default' ? {} : { integration }
}

/** The log fields of an event. */
export function fieldsOf(
  { event_id, event_type }: WebhookEvent,
  integration: string,
): Readonly<Record<string, unknown>> {
  return { ...integrationField(integration), event_id, event_type }
}

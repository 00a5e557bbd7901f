import { type Clock, monotonicNow, type WebhookEvent } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
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

  constructor(event: WebhookEvent, attempt: AttemptContext) {
    this.event = event
    this.attempt = attempt
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

  // Most handlers read neither the headers nor the logger, so each is created when it is read.
  /** What every handler gets. */
  context(applied: AppliedRevision | undefined, logger: Logger): EventContext {
    const { event, abort, attempt } = this
    let headers: Headers | undefined
    return {
      applied,
      integration: attempt.integration,
      deadlineAt: attempt.deadlineAt,
      get signal() {
        return abort.signal
      },
      get headers() {
        headers ??= readHeaders(attempt.headers ?? {})
        return headers
      },
      get logger() {
        return withFields(logger, fieldsOf(event, attempt.integration))
      },
    }
  }
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

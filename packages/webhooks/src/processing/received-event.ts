import type { WebhookEvent } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { AppliedRevision } from '../interfaces/revision-gate.ts'
import { type AttemptHeaders, readHeaders } from '../verifier/signature-headers.ts'
import type { Alarm } from './alarm.ts'
import type { EventContext } from './handlers.ts'
import { LazyAbort } from './lazy-abort.ts'
import { fieldsOf, withFields } from './log-fields.ts'
import type { ProcessTiming } from './outcome.ts'

/** The facts about the attempt that delivered an event, and the time limit of its handler. */
export interface AttemptContext {
  readonly integration: string
  readonly deadlineAt?: number | undefined
  readonly headers?: AttemptHeaders | undefined
  /** The timer of the delivery, if there is one. */
  readonly alarm?: Alarm | undefined
}

/** An event that is being processed. */
export class ReceivedEvent {
  readonly event: WebhookEvent
  readonly attempt: AttemptContext
  readonly abort = new LazyAbort()
  readonly timing: { -readonly [Part in keyof ProcessTiming]: ProcessTiming[Part] } = {
    waitedMs: 0,
    handlerMs: undefined,
  }

  constructor(event: WebhookEvent, attempt: AttemptContext) {
    this.event = event
    this.attempt = attempt
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

/** Whether a handler returned or threw. */
export type HandlerResult = { readonly status: 'returned' } | { readonly status: 'threw'; readonly error: unknown }

/** Why the receiver stopped waiting for a handler. */
export type GivenUpBecause = 'handler-timeout' | 'closing'

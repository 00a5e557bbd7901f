import type { Logger, WebhookEvent } from '@notewire/protocol'
import type { AppliedRevision } from '../interfaces/revision-gate.ts'
import type { EventContext } from './handlers.ts'
import type { LazyAbort } from './lazy-abort.ts'
import { fieldsOf } from './log-fields.ts'

/** The part of a run that its context shows. */
interface Shown {
  readonly event: WebhookEvent
  readonly attempt: { readonly integration: string; readonly deadlineAt?: number | undefined }
  readonly abort: LazyAbort
  readonly headers: Headers
}

/**
 * Most handlers read neither the signal nor the headers nor the logger, so each is created when it is read. The getters are properties of the
 * object, and not of the class, so that a copy by `{ ...context }` has them.
 */
export class ReceivedContext implements EventContext {
  readonly applied: AppliedRevision | undefined
  readonly integration: string
  readonly deadlineAt: number | undefined
  declare readonly signal: AbortSignal
  declare readonly headers: Headers
  declare readonly logger: Logger
  readonly #shown: Shown
  readonly #logger: Logger

  constructor(shown: Shown, applied: AppliedRevision | undefined, logger: Logger) {
    const { integration, deadlineAt } = shown.attempt
    this.applied = applied
    this.integration = integration
    this.deadlineAt = deadlineAt
    this.#shown = shown
    this.#logger = logger
    // Getters of an object literal would be new functions for each event, for which V8 would keep a new hidden class until a full collection.
    Object.defineProperty(this, 'signal', ReceivedContext.#SIGNAL)
    Object.defineProperty(this, 'headers', ReceivedContext.#HEADERS)
    Object.defineProperty(this, 'logger', ReceivedContext.#LOGGER)
  }

  static readonly #SIGNAL = getter(function (this: ReceivedContext) {
    return this.#shown.abort.signal
  })
  static readonly #HEADERS = getter(function (this: ReceivedContext) {
    return this.#shown.headers
  })
  static readonly #LOGGER = getter(function (this: ReceivedContext) {
    const { event, attempt } = this.#shown
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

import { type Clock, type Drift, isKnownEvent, type WebhookEvent } from '@notewire/protocol'
import type { ErrorAnswer } from '../interfaces/answer.ts'
import type { Logger } from '../interfaces/logger.ts'
import { fieldsOf, integrationField } from '../processing/log-fields.ts'
import type { ProcessOutcome, ProcessTiming } from '../processing/outcome.ts'
import type { HandlerResult } from '../processing/received-event.ts'
import type { SecretFinding } from '../secrets/secret-source.ts'
import { SecretError } from '../verifier/signing-secret.ts'
import type { Refusal, Verified } from '../verifier/verification.ts'
import { privateMessageOf, traceOf, unfailing } from './error-trace.ts'
import { RateLimits } from './rate-limit.ts'
import type { ReceiverHooks } from './receiver-hooks.ts'

/** Error answers that only `answeredError` logs. Anyone can cause them, so an integration logs each code at most once a minute. */
const EARLY_ERRORS: readonly ErrorAnswer['code'][] = [
  'not_found',
  'integration_unknown',
  'lookups_limited',
  'body_too_slow',
  'body_too_large',
  'body_encoded',
  'body_incomplete',
]

/**
 * Calls the user's hooks, and logs what needs attention.
 *
 * `integration` is `undefined` if the receiver does not know that the integration exists. Anyone can send requests with invented ids, which
 * must not fill the log or become label values of a metric.
 */
export class Observer {
  readonly #hooks: ReceiverHooks
  readonly #logger: Logger
  readonly #earlyErrorLimits: RateLimits
  readonly #refused: RateLimits
  readonly #drift: RateLimits
  readonly #logErrorMessages: boolean

  constructor(options: {
    readonly hooks: ReceiverHooks
    readonly logger: Logger
    readonly logErrorMessages: boolean
    readonly clock: Clock
  }) {
    const { hooks, logger, logErrorMessages, clock } = options
    this.#hooks = hooks
    this.#logger = unfailing(logger)
    this.#earlyErrorLimits = new RateLimits(clock, { maxCalls: 1, windowMs: 60_000 })
    this.#refused = new RateLimits(clock, { maxCalls: 30, windowMs: 60_000 })
    this.#drift = new RateLimits(clock, { maxCalls: 1, windowMs: 3_600_000 })
    this.#logErrorMessages = logErrorMessages
    if (logErrorMessages) {
      this.#logger.warn(
        'logErrorMessages is on: the messages of errors in this log may contain note content; use it only in development',
      )
    }
  }

  /** Called once for every answer that is not 2xx. Logs only {@link EARLY_ERRORS}: other methods log the rest. */
  answeredError(error: ErrorAnswer, integration: string | undefined): void {
    const isEarly = EARLY_ERRORS.includes(error.code)
    const suppressed = isEarly ? this.#earlyErrorLimits.admit(integration, error.code) : undefined
    if (suppressed !== undefined) {
      this.#logger.warn('the receiver refused a request before checking its signature', {
        ...integrationField(integration),
        ...error,
        more_since_last_line: suppressed,
      })
    }
    const { onErrorAnswer } = this.#hooks
    if (onErrorAnswer !== undefined) this.callHook(() => onErrorAnswer(error, { integration }))
  }

  /** An arrow function, so that it stays bound when passed as a callback. */
  readonly outcome = (outcome: ProcessOutcome, timing: ProcessTiming, integration: string): void => {
    const line = OUTCOME_LINES[outcome.status]
    if (line !== undefined) {
      const trace = 'error' in outcome ? this.#traceOf(outcome.error, THROWERS[outcome.status]) : {}
      this.#logger[line.level](line.message, { ...fieldsOf(outcome.event, integration), ...trace })
    }
    const { onOutcome } = this.#hooks
    if (onOutcome !== undefined) this.callHook(() => onOutcome(outcome, timing, { integration }))
  }

  /** Processes an event inside `aroundEvent`, exactly once, even if the hook does not call its argument `process`. */
  runAroundHook(
    event: WebhookEvent,
    integration: string,
    process: () => Promise<ProcessOutcome>,
  ): Promise<ProcessOutcome> {
    const { aroundEvent } = this.#hooks
    if (aroundEvent === undefined) return process()
    let processing: Promise<ProcessOutcome> | undefined
    const begin = () => (processing ??= process())
    this.callHook(() => aroundEvent(event, begin, { integration }))
    return begin()
  }

  /** An arrow function, so that it stays bound when passed as a callback. */
  readonly lateEnd = (event: WebhookEvent, end: HandlerResult, integration: string): void => {
    const trace = end.status === 'threw' ? this.#traceOf(end.error, 'the handler') : {}
    this.#logger.warn('a handler ended after the receiver had released its claim', {
      ...fieldsOf(event, integration),
      ended: end.status,
      ...trace,
    })
  }

  overdue(event: WebhookEvent, integration: string, consumer: 'handler' | 'sink'): void {
    this.#logger.warn(OVERDUE[consumer].message, fieldsOf(event, integration))
    this.callHook(() => this.#hooks.onOverdue?.(event, { integration }))
  }

  /** Called when the queue has confirmed an event or has failed. An arrow function, so that it stays bound when passed as a callback. */
  readonly queued = ({ status, event }: ProcessOutcome, _timing: ProcessTiming, integration: string): void => {
    const { onQueued } = this.#hooks
    if (status === 'applied' && onQueued !== undefined) this.callHook(() => onQueued(event, { integration }))
  }

  queueFailed(event: WebhookEvent, integration: string, error: unknown): void {
    this.#logger.error('the queue did not accept an event; the service will send it again', {
      ...fieldsOf(event, integration),
      ...this.#traceOf(error, 'the queue'),
    })
  }

  queueLate(event: WebhookEvent, integration: string): void {
    const fields = fieldsOf(event, integration)
    this.#logger.error('the queue did not confirm an event in time; the service will send it again', fields)
  }

  refused({ reason, detail }: Refusal, integration: string | undefined): void {
    const more = this.#admit(integration, reason)
    if (more !== undefined)
      this.#logger.warn('a delivery was refused', { ...integrationField(integration), reason, detail, ...more })
    this.callHook(() => this.#hooks.onRefused?.(reason, detail, { integration }))
  }

  verified(verification: Verified, integration: string): void {
    const { onVerified } = this.#hooks
    if (onVerified !== undefined) this.callHook(() => onVerified(verification, { integration }))
  }

  malformed(problem: string, integration: string | undefined): void {
    this.#logger.error('a signed delivery is malformed', { ...integrationField(integration), problem })
  }

  drifted(event: WebhookEvent, drift: readonly Drift[], integration: string): void {
    for (const each of drift) {
      // All unknown kinds share one rate limit, so that the number of limits is bounded.
      const kind = isKnownEvent(event) ? event.event_type : ''
      if (this.#drift.admit(integration, `${kind} ${each.path} ${each.found}`) === undefined) continue
      this.#logger.warn('a signed event differs from the contract; the receiver processes it without the field', {
        ...fieldsOf(event, integration),
        ...each,
      })
      this.callHook(() => this.#hooks.onDrift?.(each, event, { integration }))
    }
  }

  memoryLost(): void {
    this.#logger.warn(
      'each delivery got a new receiver with an empty store in memory, so that every duplicate is processed again; create the receiver ' +
        'once, outside of the function that handles a request, or use a store in a database',
    )
  }

  alreadyParsed(integration: string | undefined): void {
    this.#error(
      'the request body was parsed before the receiver could verify it. Mount the receiver before any body ' +
        'parser, or configure the parser to keep the raw bytes in req.rawBody.',
      integrationField(integration),
    )
  }

  /**
   * Logs that no usable secret was found. If the integration is unknown or its lookup was limited, `answeredError` logs the answer instead.
   */
  withoutSecret(finding: SecretFinding, integration: string | undefined): void {
    const message = WITHOUT_SECRET[finding.status]
    const more = message && this.#admit(integration, finding.status)
    if (message === undefined || more === undefined) return
    this.#error(message, {
      ...integrationField(integration),
      ...('error' in finding ? problemOf(finding.error) : {}),
      ...more,
    })
  }

  broken(error: unknown, integration: string | undefined): void {
    this.#logger.error('the receiver failed with an unexpected error; please report it', {
      ...integrationField(integration),
      ...this.#traceOf(error, 'the receiver'),
    })
  }

  /** The additional fields of a log line, or `undefined` if the rate limit of this reason and integration suppresses the line. */
  #admit(
    integration: string | undefined,
    reason: Refusal['reason'] | SecretFinding['status'],
  ): Readonly<Record<string, unknown>> | undefined {
    const suppressed = this.#refused.admit(integration, reason)
    if (suppressed === undefined) return undefined
    return suppressed === 0 ? {} : { more_since_last_line: suppressed }
  }

  #traceOf(error: unknown, thrower: string): Readonly<Record<string, unknown>> {
    const trace = traceOf(error, thrower)
    const message = this.#logErrorMessages ? privateMessageOf(error) : undefined
    return message === undefined ? trace : { ...trace, error_message: message }
  }

  // The console would print "{}" for empty fields.
  #error(message: string, fields: Readonly<Record<string, unknown>>): void {
    if (Object.keys(fields).length === 0) this.#logger.error(message)
    else this.#logger.error(message, fields)
  }

  /** Calls a hook or `waitUntil`. Logs an error that it throws; the answer stays the same. */
  callHook(hook: () => unknown): void {
    const failed = (error: unknown) =>
      this.#logger.error('a hook threw; the event is not affected', this.#traceOf(error, 'the hook'))
    try {
      Promise.resolve(hook()).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

/** The log line for each outcome that needs attention. */
const OUTCOME_LINES: Readonly<
  Partial<Record<ProcessOutcome['status'], { readonly level: 'warn' | 'error'; readonly message: string }>>
> = {
  failed: { level: 'error', message: 'a handler failed; the event will be retried' },
  'store-failed': { level: 'error', message: 'the store failed; the event will be retried' },
  'sink-failed': { level: 'error', message: 'the sink failed; the event will be retried' },
  busy: {
    level: 'warn',
    message: 'the event, or another event of its note, is still being processed; the event will be retried',
  },
  'claim-lost': {
    level: 'warn',
    message: 'the receiver lost its claim on an event; the event will be retried',
  },
  'handler-timeout': {
    level: 'error',
    message:
      'a handler took longer than handlerTimeoutMs and may still be running; the receiver released its claim, and the ' +
      'event will be retried',
  },
}

/** What threw the error of an outcome. */
const THROWERS = {
  failed: 'the handler',
  busy: 'the database',
  'store-failed': 'the store',
  'sink-failed': 'the sink',
} as const

/** The log line for a delivery whose handler or sink is still running at the deadline. */
const OVERDUE = {
  handler: {
    message:
      'a handler has not ended 8 s after the delivery arrived; the receiver answers 503 and the handler keeps running; use a ' +
      'queue for slow handlers',
  },
  sink: {
    message:
      'a sink has not resolved 8 s after the delivery arrived; the receiver answers 503 and the sink keeps running',
  },
} as const

const NO_USABLE_SECRET = 'the option "secret" returned no usable secret; the receiver answers 503'

/** The log line for each lookup that found no usable secret. */
const WITHOUT_SECRET: Readonly<Partial<Record<SecretFinding['status'], string>>> = {
  missing:
    'no signing secret is known, so the receiver answers 503. Set the option "secret" to the secret from the response ' +
    'that created the endpoint. The service retries the delivery after 30 s.',
  invalid: NO_USABLE_SECRET,
  failed: NO_USABLE_SECRET,
  late: 'the option "secret" did not resolve in time; the receiver answers 503',
}

/** The log fields of an error: the message only of a `SecretError`, because that of another error may contain the secret. */
function problemOf(error: unknown): Readonly<Record<string, unknown>> {
  return isSecretError(error) ? { problem: error.message } : traceOf(error, 'the function "secret"')
}

function isSecretError(error: unknown): error is SecretError {
  try {
    return error instanceof SecretError
  } catch {
    // `instanceof` throws for a revoked Proxy.
    return false
  }
}

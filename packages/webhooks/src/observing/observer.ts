import {
  type Clock,
  callHook,
  type Drift,
  isKnownEvent,
  type Logger,
  traceOf,
  traceWithMessage,
  unfailing,
  type WebhookEvent,
} from '@notewire/protocol'
import type { ErrorAnswer } from '../interfaces/answer.ts'
import type { CallResult } from '../processing/event-run.ts'
import { fieldsOf, integrationField } from '../processing/log-fields.ts'
import type { ProcessOutcome, ProcessTiming } from '../processing/outcome.ts'
import type { SecretFinding } from '../secrets/secret-source.ts'
import { RateLimits } from '../timing/rate-limit.ts'
import { SecretError } from '../verifier/signing-secret.ts'
import type { Refusal, Verified } from '../verifier/verification.ts'
import { EARLY_ERRORS, LOG_LINES, withoutSecretLine } from './log-lines.ts'
import type { ReceiverHooks } from './receiver-hooks.ts'

interface ObserverOptions {
  readonly hooks: ReceiverHooks
  readonly logger: Logger
  readonly logErrorMessages: boolean
  readonly clock: Clock
  /** The option that gives the secret, for the log. */
  readonly secretOption: 'secret' | 'secretOf'
}

type LineName = keyof typeof LOG_LINES

type Fields = Readonly<Record<string, unknown>>

/**
 * What a line is about. `integration` is `undefined` if the receiver does not know that the integration exists. Anyone can send requests with
 * invented ids, which must not fill the log or become label values of a metric.
 */
interface About {
  readonly integration: string | undefined
  readonly event?: WebhookEvent
  readonly error?: unknown
  readonly fields?: Fields
}

/** Calls the user's hooks, and logs what needs attention. */
export class Observer {
  readonly #options: ObserverOptions
  readonly #logger: Logger
  readonly #early: RateLimits
  readonly #refused: RateLimits
  readonly #drift: RateLimits

  constructor(options: ObserverOptions) {
    const { clock } = options
    this.#options = options
    this.#logger = unfailing(options.logger)
    this.#early = new RateLimits(clock, { maxCalls: 1, windowMs: 60_000 })
    this.#refused = new RateLimits(clock, { maxCalls: 30, windowMs: 60_000 })
    this.#drift = new RateLimits(clock, { maxCalls: 1, windowMs: 3_600_000 })
    if (options.logErrorMessages) this.log('error-messages', { integration: undefined })
  }

  log(line: LineName, about: About): void {
    const [level, message, thrower = ''] = LOG_LINES[line]
    const { integration, event, fields } = about
    const { logErrorMessages } = this.#options
    const trace = 'error' in about ? traceWithMessage(about.error, thrower, logErrorMessages) : {}
    const subject = event ? fieldsOf(event, integration ?? 'default') : integrationField(integration)
    this.#write(level, message, { ...subject, ...fields, ...trace })
  }

  /** Called once for every answer that is not 2xx. Logs only {@link EARLY_ERRORS}: other methods log the rest. */
  answeredError(error: ErrorAnswer, integration: string | undefined): void {
    const suppressed = EARLY_ERRORS.includes(error.code) ? this.#early.admit(integration, error.code) : undefined
    if (suppressed !== undefined) {
      this.log('refused-early', { integration, fields: { ...error, more_since_last_line: suppressed } })
    }
    this.#tell('onErrorAnswer', error, { integration })
  }

  /** Called when other code has sent a response, which the service gets. Anyone can send such requests, so it is logged once a minute. */
  answeredByOther(status: number, integration: string | undefined): void {
    const suppressed = this.#early.admit(integration, 'answered-by-other')
    if (suppressed === undefined) return
    this.log('answered-by-other', { integration, fields: { status, more_since_last_line: suppressed } })
  }

  outcome(outcome: ProcessOutcome, timing: ProcessTiming, integration: string): void {
    if (isLine(outcome.status)) this.log(outcome.status, { integration, ...outcome })
    this.#tell('onOutcome', outcome, timing, { integration })
  }

  /** Processes an event inside `aroundEvent`, exactly once, even if the hook does not call its argument `process`. */
  runAroundHook(
    event: WebhookEvent,
    integration: string,
    process: () => Promise<ProcessOutcome>,
  ): Promise<ProcessOutcome> {
    const { aroundEvent } = this.#options.hooks
    if (aroundEvent === undefined) return process()
    let processing: Promise<ProcessOutcome> | undefined
    const begin = () => (processing ??= process())
    this.callHook(() => aroundEvent(event, begin, { integration }))
    return begin()
  }

  lateEnd(event: WebhookEvent, end: CallResult, integration: string): void {
    this.log('late-end', { integration, event, fields: { ended: end.status }, ...end })
  }

  overdue(event: WebhookEvent, integration: string, consumer: 'handler' | 'sink'): void {
    this.log(`${consumer}-overdue`, { integration, event })
    this.#tell('onOverdue', event, { integration })
  }

  /** Called when the queue has confirmed an event or has failed. */
  queued({ status, event }: ProcessOutcome, integration: string): void {
    if (status === 'applied') this.#tell('onQueued', event, { integration })
  }

  refused({ reason, detail }: Refusal, integration: string | undefined): void {
    const more = admitted(this.#refused, integration, reason)
    if (more !== undefined) this.log('refused', { integration, fields: { reason, detail, ...more } })
    this.#tell('onRefused', reason, detail, { integration })
  }

  verified(verification: Verified, integration: string): void {
    this.#tell('onVerified', verification, { integration })
  }

  drifted(event: WebhookEvent, drift: readonly Drift[], integration: string): void {
    for (const each of drift) {
      // All unknown kinds share one rate limit, so that the number of limits is bounded.
      const kind = isKnownEvent(event) ? event.event_type : ''
      if (this.#drift.admit(integration, `${kind} ${each.path} ${each.found}`) === undefined) continue
      this.log('drift', { integration, event, fields: { ...each } })
      this.#tell('onDrift', each, event, { integration })
    }
  }

  /**
   * Logs that no usable secret was found. If the integration is unknown or its lookup was limited, `answeredError` logs the answer instead.
   */
  withoutSecret(finding: SecretFinding, integration: string | undefined): void {
    const { secretOption } = this.#options
    const message = withoutSecretLine(finding.status, secretOption)
    if (message === undefined) return
    const more = admitted(this.#refused, integration, finding.status)
    if (more === undefined) return
    const trace = 'error' in finding ? problemOf(finding.error, secretOption) : {}
    this.#write('error', message, { ...integrationField(integration), ...trace, ...more })
  }

  /** Calls a hook or `waitUntil`. Logs an error that it throws; the answer stays the same. */
  callHook(hook: () => unknown): void {
    callHook(hook, undefined, (error) => this.log('hook-failed', { integration: undefined, error }))
  }

  #tell<Name extends Exclude<keyof ReceiverHooks, 'aroundEvent'>>(
    name: Name,
    ...told: Parameters<NonNullable<ReceiverHooks[Name]>>
  ): void {
    const hook = this.#options.hooks[name] as ((...told: unknown[]) => unknown) | undefined
    if (hook !== undefined) this.callHook(() => hook(...told))
  }

  // The console would print "{}" for empty fields.
  #write(level: 'warn' | 'error', message: string, fields: Fields): void {
    if (Object.keys(fields).length === 0) this.#logger[level](message)
    else this.#logger[level](message, fields)
  }
}

function isLine(status: ProcessOutcome['status']): status is ProcessOutcome['status'] & LineName {
  return Object.hasOwn(LOG_LINES, status)
}

/** The additional fields of a log line, or `undefined` if the rate limit suppresses the line. */
function admitted(limits: RateLimits, integration: string | undefined, reason: string): Fields | undefined {
  const suppressed = limits.admit(integration, reason)
  if (suppressed === undefined) return undefined
  return suppressed === 0 ? {} : { more_since_last_line: suppressed }
}

/** The log fields of an error: the message only of a `SecretError`, because that of another error may contain the secret. */
function problemOf(error: unknown, option: string): Fields {
  return isSecretError(error) ? { problem: error.message } : traceOf(error, `the function "${option}"`)
}

function isSecretError(error: unknown): error is SecretError {
  try {
    return error instanceof SecretError
  } catch {
    // `instanceof` throws for a revoked Proxy.
    return false
  }
}

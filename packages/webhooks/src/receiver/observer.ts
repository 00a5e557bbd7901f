import type { Clock, Drift, WebhookEvent } from '@notewire/protocol'
import { SecretError } from '../verifier/signing-secret.ts'
import type { Refusal, Verified } from '../verifier/verification.ts'
import type { Answer, ErrorAnswer } from './answer.ts'
import { DriftLimit } from './drift-limit.ts'
import type { Settlement } from './handler-run.ts'
import { type Logger, traceOf, unfailing } from './logger.ts'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'
import { RateLimit } from './rate-limit.ts'
import type { ReceiverHooks } from './receiver-hooks.ts'

/** The answers to requests of which nothing else is logged. Anybody can send them, so the log gets one a minute of each. */
const TURNED_AWAY: readonly ErrorAnswer['code'][] = [
  'not_found',
  'body_too_slow',
  'body_too_large',
  'body_encoded',
  'body_incomplete',
]
const TURNED_AWAY_RATE = { most: 1, windowMs: 60_000 }
/** For each reason, so that a flood of forged requests does not fill the log and hides no other reason. */
const REFUSED_RATE = { most: 30, windowMs: 60_000 }

/** Tells the hooks everything, and the log what needs attention. */
export class Observer {
  readonly #hooks: ReceiverHooks
  readonly #logger: Logger
  readonly #turnedAway: ReadonlyMap<string, RateLimit>
  readonly #refused = new Map<Refusal['reason'], RateLimit>()
  readonly #driftLimit: DriftLimit
  readonly #clock: Clock

  constructor(options: { readonly hooks: ReceiverHooks; readonly logger: Logger; readonly clock: Clock }) {
    this.#hooks = options.hooks
    this.#logger = unfailing(options.logger)
    const limitOf = (code: string) => [code, new RateLimit(options.clock, TURNED_AWAY_RATE)] as const
    this.#turnedAway = new Map(TURNED_AWAY.map(limitOf))
    this.#driftLimit = new DriftLimit(options.clock)
    this.#clock = options.clock
  }

  /** Every answer that leaves comes here once. What has no line of its own gets one. */
  answered({ error }: Answer): void {
    if (error === undefined) return
    const limit = this.#turnedAway.get(error.code)?.admit()
    if (limit?.status === 'admitted') {
      this.#logger.warn('the receiver refused a request before checking its signature', {
        ...error,
        more_since_last_line: limit.heldBack,
      })
    }
    const { onErrorAnswer } = this.#hooks
    if (onErrorAnswer !== undefined) this.guard(() => onErrorAnswer(error))
  }

  /** A field, so that it can be handed on. */
  readonly outcome = (outcome: ProcessOutcome, timing: ProcessTiming): void => {
    const fields = { event_id: outcome.event.event_id, event_type: outcome.event.event_type }
    switch (outcome.status) {
      case 'failed':
        this.#logger.error('a handler failed; the event will be retried', {
          ...fields,
          ...traceOf(outcome.error),
        })
        break
      case 'store-failed':
        this.#logger.error('the store failed; the event will be retried', {
          ...fields,
          ...traceOf(outcome.error),
        })
        break
      case 'sink-failed':
        this.#logger.error('the sink failed; the event will be retried', { ...fields, ...traceOf(outcome.error) })
        break
      case 'busy':
        this.#logger.warn('another event of the same note is still being processed; the event will be retried', fields)
        break
      case 'claim-lost':
        this.#logger.warn(
          'the lease of an event expired while its handler ran, and another worker claimed the event',
          fields,
        )
        break
      case 'handler-timeout':
        this.#logger.error(
          'a handler took longer than handlerTimeoutMs and may still be running; the receiver released its claim, and the ' +
            'event will be retried',
          fields,
        )
        break
      default:
        break
    }
    const { onOutcome } = this.#hooks
    if (onOutcome !== undefined) this.guard(() => onOutcome(outcome, timing))
  }

  /** A field, so that it can be handed on. */
  readonly lateEnd = (event: WebhookEvent, end: Settlement): void => {
    const fields = { event_id: event.event_id, event_type: event.event_type, ended: end.status }
    const trace = end.status === 'threw' ? traceOf(end.error) : {}
    this.#logger.warn('a handler ended after the receiver had released its claim', { ...fields, ...trace })
  }

  overdue(event: WebhookEvent, consumer: 'handler' | 'sink'): void {
    const fields = { event_id: event.event_id, event_type: event.event_type }
    if (consumer === 'sink') this.#logger.warn('a sink is slower than the service waits and keeps running', fields)
    else {
      this.#logger.warn(
        'a handler is slower than the service waits and keeps running; use a queue for slow handlers',
        fields,
      )
    }
    this.guard(() => this.#hooks.onOverdue?.(event))
  }

  /** What became of handing an event to the queue. A field, so that it can be handed on. */
  readonly queued = ({ status, event }: ProcessOutcome): void => {
    const { onQueued } = this.#hooks
    if (status === 'applied' && onQueued !== undefined) this.guard(() => onQueued(event))
  }

  queueFailed(event: WebhookEvent, error: unknown): void {
    const fields = { event_id: event.event_id, event_type: event.event_type }
    this.#logger.error('the queue did not accept an event; the service will send it again', {
      ...fields,
      ...traceOf(error),
    })
  }

  queueLate(event: WebhookEvent): void {
    const fields = { event_id: event.event_id, event_type: event.event_type }
    this.#logger.error('the queue did not confirm an event in time; the service will send it again', fields)
  }

  refused({ reason, detail }: Refusal): void {
    const limit = this.#refused.get(reason) ?? new RateLimit(this.#clock, REFUSED_RATE)
    this.#refused.set(reason, limit)
    const admission = limit.admit()
    if (admission.status === 'admitted') {
      const more = admission.heldBack === 0 ? {} : { more_since_last_line: admission.heldBack }
      this.#logger.warn('a delivery was refused', { reason, detail, ...more })
    }
    this.guard(() => this.#hooks.onRefused?.(reason, detail))
  }

  verified(verification: Verified): void {
    const { onVerified } = this.#hooks
    if (onVerified !== undefined) this.guard(() => onVerified(verification))
  }

  malformed(problem: string): void {
    this.#logger.error('a signed delivery is malformed', { problem })
  }

  drifted(event: WebhookEvent, drift: readonly Drift[]): void {
    for (const each of drift) {
      if (!this.#driftLimit.admits(event, each)) continue
      this.#logger.warn('a signed event differs from the contract; the receiver processes it without the field', {
        event_id: event.event_id,
        event_type: event.event_type,
        ...each,
      })
      this.guard(() => this.#hooks.onDrift?.(each, event))
    }
  }

  alreadyParsed(): void {
    this.#logger.error(
      'the request body was parsed before the receiver could verify it. Mount the receiver before any body ' +
        'parser, or configure the parser to keep the raw bytes in req.rawBody.',
    )
  }

  noSecret(): void {
    this.#logger.error(
      'no signing secret is known, so the receiver answers 503. Set the option "secret" to the secret from the response ' +
        'that created the endpoint. The service retries the delivery after 30 s.',
    )
  }

  secretFailed(error: unknown): void {
    // Ours says what is wrong with the secret, and never what it is; another's message may.
    const problem = isSecretError(error) ? { problem: error.message } : traceOf(error)
    this.#logger.error('the option "secret" returned no usable secret; the receiver answers 503', problem)
  }

  secretLate(): void {
    this.#logger.error('the option "secret" did not resolve in time; the receiver answers 503')
  }

  broken(error: unknown): void {
    this.#logger.error('the receiver failed with an unexpected error; please report it', traceOf(error))
  }

  /** Calls a function of the user's that must not change what becomes of the delivery, whatever it does. */
  guard(hook: () => unknown): void {
    const failed = (error: unknown) => this.#logger.error('a hook threw; the event is not affected', traceOf(error))
    try {
      Promise.resolve(hook()).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

function isSecretError(error: unknown): error is SecretError {
  try {
    return error instanceof SecretError
  } catch {
    // A revoked Proxy throws when it is asked.
    return false
  }
}

import type { WebhookEvent } from '@notewire/protocol'
import { SecretError } from '../verifier/signing-secret.ts'
import type { Refusal, Verified } from '../verifier/verification.ts'
import { type Logger, traceOf, unfailing } from './logger.ts'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'
import type { ReceiverHooks } from './receiver-hooks.ts'

/** Tells the hooks everything, and the log what needs attention. */
export class Observer {
  readonly #hooks: ReceiverHooks
  readonly #logger: Logger

  constructor({ hooks, logger }: { readonly hooks: ReceiverHooks; readonly logger: Logger }) {
    this.#hooks = hooks
    this.#logger = unfailing(logger)
  }

  /** A field, so that it can be handed on. */
  readonly outcome = (outcome: ProcessOutcome, timing: ProcessTiming): void => {
    const fields = { event_id: outcome.event.event_id, event_type: outcome.event.event_type }
    switch (outcome.status) {
      case 'failed':
        this.#logger.error('a handler failed; the event will come again', {
          ...fields,
          ...traceOf(outcome.error),
        })
        break
      case 'store-failed':
        this.#logger.error('the store failed; the event will come again', {
          ...fields,
          ...traceOf(outcome.error),
        })
        break
      case 'busy':
        this.#logger.warn('an event waited for another of its note, and will come again', fields)
        break
      case 'claim-lost':
        this.#logger.warn('another worker took an event over while its handler ran', fields)
        break
      default:
        break
    }
    const { onOutcome } = this.#hooks
    if (onOutcome !== undefined) this.guard(() => onOutcome(outcome, timing))
  }

  overdue(event: WebhookEvent): void {
    const fields = { event_id: event.event_id, event_type: event.event_type }
    this.#logger.warn(
      'an event takes longer than the service waits, and goes on; slow handlers belong in a queue',
      fields,
    )
    this.guard(() => this.#hooks.onOverdue?.(event))
  }

  queued(event: WebhookEvent): void {
    const { onQueued } = this.#hooks
    if (onQueued !== undefined) this.guard(() => onQueued(event))
  }

  queueFailed(event: WebhookEvent, error: unknown): void {
    const fields = { event_id: event.event_id, event_type: event.event_type }
    this.#logger.error('the queue did not take an event; the service will send it again', {
      ...fields,
      ...traceOf(error),
    })
  }

  queueLate(event: WebhookEvent): void {
    const fields = { event_id: event.event_id, event_type: event.event_type }
    this.#logger.error('the queue did not confirm an event in time; the service will send it again', fields)
  }

  refused({ reason, detail }: Refusal): void {
    this.#logger.warn('a delivery was refused', { reason, detail })
    this.guard(() => this.#hooks.onRefused?.(reason, detail))
  }

  verified(verification: Verified): void {
    const { onVerified } = this.#hooks
    if (onVerified !== undefined) this.guard(() => onVerified(verification))
  }

  malformed(problem: string): void {
    this.#logger.error('a signed delivery is malformed', { problem })
  }

  alreadyParsed(): void {
    this.#logger.error(
      'the request body was parsed before the receiver could verify its bytes. Mount the receiver before any body ' +
        'parser, or have the parser keep the raw bytes in req.rawBody.',
    )
  }

  noSecret(): void {
    this.#logger.error(
      'no signing secret is known: deliveries are answered 503 until the option "secret" gives the one that creating ' +
        'the endpoint returned. The service tries again 30 s later.',
    )
  }

  secretFailed(error: unknown): void {
    // Ours says what is wrong with the secret, and never what it is; another's message may.
    const problem = error instanceof SecretError ? { problem: error.message } : traceOf(error)
    this.#logger.error('the option "secret" gave no usable secret; deliveries are answered 503', problem)
  }

  secretLate(): void {
    this.#logger.error('the option "secret" did not answer in time; the delivery is answered 503')
  }

  broken(error: unknown): void {
    this.#logger.error('the receiver failed', traceOf(error))
  }

  /** Calls a function of the user's that must not change what becomes of the delivery, whatever it does. */
  guard(hook: () => unknown): void {
    const failed = (error: unknown) => this.#logger.error('a hook failed', traceOf(error))
    try {
      Promise.resolve(hook()).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

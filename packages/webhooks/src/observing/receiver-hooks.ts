import type { Drift, WebhookEvent } from '@notewire/protocol'
import type { ErrorAnswer } from '../interfaces/answer.ts'
import type { ProcessOutcome, ProcessTiming } from '../processing/outcome.ts'
import type { VerificationFailure, Verified } from '../verifier/verification.ts'

/** The last argument of every hook. */
export interface HookContext<Integration extends string | undefined = string> {
  /** The id of the integration. `undefined` if a request names one that the receiver does not know: anyone can send any id. */
  readonly integration: Integration
}

/** Functions that the receiver calls when something happens, for metrics and traces. Their errors are logged and change nothing else. */
export interface ReceiverHooks {
  /**
   * An event has an outcome. Called once for each verified attempt and each call of `process`, except for malformed events. With a queue,
   * the receiver of the worker calls it, and not the receiver that answers the delivery. With a sink, it is called once the sink has
   * resolved or rejected.
   */
  readonly onOutcome?: ((outcome: ProcessOutcome, timing: ProcessTiming, context: HookContext) => void) | undefined
  /** The queue has confirmed an event: the delivery is answered, and a worker will process it. */
  readonly onQueued?: ((event: WebhookEvent, context: HookContext) => void) | undefined
  /** The deadline passed before the handler ended. The receiver answers 503, so that the service retries; the handler continues. */
  readonly onOverdue?: ((event: WebhookEvent, context: HookContext) => void) | undefined
  /** An attempt was verified. `secretIndex` shows whether an old secret is still used during a rotation. */
  readonly onVerified?: ((verification: Verified, context: HookContext) => void) | undefined
  /** A signature or a timestamp was not accepted. `detail` says why in words, as the log does. */
  readonly onRefused?:
    | ((reason: VerificationFailure, detail: string, context: HookContext<string | undefined>) => void)
    | undefined
  /**
   * An attempt is answered with 4xx or 5xx. Called once for each such answer, in addition to {@link onRefused} and {@link onOutcome}. It
   * receives no other part of the request, because anyone can send one.
   */
  readonly onErrorAnswer?: ((answer: ErrorAnswer, context: HookContext<string | undefined>) => void) | undefined
  /**
   * A signed event differs from the contract in a field that is not required, and is processed without that field (open
   * point 31). Called at most once an hour for each kind of event, field and type found in an integration.
   */
  readonly onDrift?: ((drift: Drift, event: WebhookEvent, context: HookContext) => void) | undefined
  /**
   * Wraps the processing of an event, for instance in a span: everything between the claim and the commit runs inside `process`. Call it
   * immediately; it never rejects. The hook can neither prevent the processing nor change its outcome. An event that is handed to a queue
   * is wrapped in the worker.
   */
  readonly aroundEvent?:
    | ((event: WebhookEvent, process: () => Promise<ProcessOutcome>, context: HookContext) => unknown)
    | undefined
}

export const HOOKS: Readonly<Record<keyof ReceiverHooks, true>> = {
  onOutcome: true,
  onQueued: true,
  onOverdue: true,
  onVerified: true,
  onRefused: true,
  onErrorAnswer: true,
  onDrift: true,
  aroundEvent: true,
}

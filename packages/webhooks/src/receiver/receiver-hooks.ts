import type { Drift, WebhookEvent } from '@notewire/protocol'
import type { VerificationFailure, Verified } from '../verifier/verification.ts'
import type { ErrorAnswer } from './answer.ts'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'

/** The last argument of every hook. */
export interface HookContext<Integration extends string | undefined = string> {
  /** The integration. `undefined` where a request names one that the receiver does not know: anyone can send any id. */
  readonly integration: Integration
}

/** Functions that are told what happens, for metrics and traces. What they throw is logged and changes nothing. */
export interface ReceiverHooks {
  /**
   * An event has been processed, one way or another: once for each verified attempt that brings one, and for each call of
   * `process`. A malformed event brings none. With a queue, the receiver of the worker calls it, and not the
   * receiver of the delivery. With a sink, it is called once the sink has settled.
   */
  readonly onOutcome?: ((outcome: ProcessOutcome, timing: ProcessTiming, context: HookContext) => void) | undefined
  /** The queue has confirmed an event: the delivery is answered, and a worker will process it. */
  readonly onQueued?: ((event: WebhookEvent, context: HookContext) => void) | undefined
  /** The deadline passed before the handler finished: the service was told to come back, and the handler goes on. */
  readonly onOverdue?: ((event: WebhookEvent, context: HookContext) => void) | undefined
  /** An attempt was verified, and by which secret of the list: when an old one was last used can be watched. */
  readonly onVerified?: ((verification: Verified, context: HookContext) => void) | undefined
  /** A signature or a timestamp was not accepted. `detail` says why in words, as the log does. */
  readonly onRefused?:
    | ((reason: VerificationFailure, detail: string, context: HookContext<string | undefined>) => void)
    | undefined
  /**
   * An attempt is answered with 4xx or 5xx: once for each, the 401 of {@link onRefused} and the outcomes that are no 2xx
   * among them. It gets nothing else of the request, which anyone can have sent.
   */
  readonly onErrorAnswer?: ((answer: ErrorAnswer, context: HookContext<string | undefined>) => void) | undefined
  /**
   * A signed event differs from the contract in a field that is not required, and is processed without that field (open
   * point 31). Told once an hour for each kind of event, field and type found, however many events show it.
   */
  readonly onDrift?: ((drift: Drift, event: WebhookEvent, context: HookContext) => void) | undefined
  /**
   * Wraps the processing of an event, for instance in a span: everything between the claim and the commit runs inside `process`. Call it
   * at once; it never rejects. The hook can neither prevent the processing nor change its outcome. An event that is handed to a queue is
   * wrapped in the worker.
   */
  readonly aroundEvent?:
    | ((event: WebhookEvent, process: () => Promise<ProcessOutcome>, context: HookContext) => unknown)
    | undefined
}

/** The names of the hooks. */
export const HOOKS: readonly (keyof ReceiverHooks)[] = [
  'onOutcome',
  'onQueued',
  'onOverdue',
  'onVerified',
  'onRefused',
  'onErrorAnswer',
  'onDrift',
  'aroundEvent',
]

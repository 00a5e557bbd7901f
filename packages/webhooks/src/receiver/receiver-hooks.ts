import type { WebhookEvent } from '@notewire/protocol'
import type { VerificationFailure, Verified } from '../verifier/verification.ts'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'

/** Functions that are told what happens, for metrics and traces. What they throw is logged and changes nothing. */
export interface ReceiverHooks {
  /**
   * An event has been processed, one way or another: once for each verified attempt that brings one, and for each call of
   * `process`. A signed body that is malformed brings none. With a queue, it is told to workers, and not where the
   * deliveries arrive.
   */
  readonly onOutcome?: ((outcome: ProcessOutcome, timing: ProcessTiming) => void) | undefined
  /** The queue has confirmed an event: the delivery is answered, and a worker will process it. */
  readonly onQueued?: ((event: WebhookEvent) => void) | undefined
  /** The deadline passed before the handler finished: the service was told to come back, and the handler goes on. */
  readonly onOverdue?: ((event: WebhookEvent) => void) | undefined
  /** An attempt was verified, and by which secret of the list: when an old one was last used can be watched. */
  readonly onVerified?: ((verification: Verified) => void) | undefined
  /** A signature or a timestamp was not accepted. `detail` says why in words, as the log does. */
  readonly onRefused?: ((reason: VerificationFailure, detail: string) => void) | undefined
}

/** The names of the hooks. */
export const HOOKS: readonly (keyof ReceiverHooks)[] = ['onOutcome', 'onQueued', 'onOverdue', 'onVerified', 'onRefused']

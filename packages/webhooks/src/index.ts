export type { Logger } from '@notewire/protocol'
export type { BodyReading, IncomingAttempt, RoutedAttempt } from './delivering/attempt.ts'
export type { BodyCauseCode, RefusalCause, RefusalCauseCode } from './diagnosis/refusal-cause.ts'
export { type DeliveryExplanation, explainDelivery } from './explain-delivery.ts'
export type { Answer, ErrorAnswer } from './interfaces/answer.ts'
export type { HookContext, ReceiverHooks } from './observing/receiver-hooks.ts'
export type {
  EventSinkOptions,
  ReceiverOptions,
  ReceiversOptions,
} from './options/receiver-options.ts'
export type {
  EventContext,
  EventHandler,
  EventHandlers,
  HandlerContext,
  Prepare,
  TransactionContext,
} from './processing/handlers.ts'
export type { ProcessOutcome, ProcessTiming } from './processing/outcome.ts'
export type { EventQueue, EventSink, SinkContext } from './processing/sink.ts'
export {
  EventNotAppliedError,
  type JobResult,
  jobResult,
  type QueuedEvent,
  queuedEvent,
  storable,
} from './queue-jobs.ts'
export { createReceiver, createReceivers } from './receiver/receiver.ts'
export type { AboutEvent, CloseOptions, Receiver, Receivers } from './receiver/receiver-interface.ts'
export type { SecretLookup, SecretSource, Secrets } from './secrets/secret-source.ts'
export { memoryStore } from './stores/memory-store.ts'
export { type UnwrapOptions, unwrap, WebhookVerificationError } from './unwrap.ts'
export { SecretError, type SecretList } from './verifier/signing-secret.ts'
export type { Refusal, VerificationFailure, Verified } from './verifier/verification.ts'
export { BodyNotRawError } from './verifier/verifier.ts'

export type { BodyReading, IncomingAttempt, RoutedAttempt } from './delivering/attempt.ts'
export type { BodyCauseCode, RefusalCause, RefusalCauseCode } from './diagnosis/refusal-cause.ts'
export { type DeliveryExplanation, explainDelivery } from './explain-delivery.ts'
export type { Answer, ErrorAnswer } from './interfaces/answer.ts'
export type { Logger } from './interfaces/logger.ts'
export {
  type AppliedRevision,
  type GateMode,
  type NoteChange,
  passRevisionGate,
  raiseRevision,
} from './interfaces/revision-gate.ts'
export type {
  Claim,
  ClaimedNote,
  ClaimRequest,
  ClaimResult,
  CommitResult,
  ReceiverStore,
} from './interfaces/store.ts'
export {
  type LookResult,
  type Seen,
  TransactionEndedError,
  type TransactionResult,
  type TransactionStore,
  type TransactionWork,
} from './interfaces/transaction-store.ts'
export type { HookContext, ReceiverHooks } from './observing/receiver-hooks.ts'
export type {
  EventSinkOptions,
  ReceiverOptions,
  ReceiversOptions,
  TransactionReceiverOptions,
} from './options/receiver-options.ts'
export {
  ClaimLostError,
  type EventContext,
  type EventHandler,
  type EventHandlers,
  type HandlerContext,
  type Prepare,
  type TransactionContext,
  TransactionNotCommittedError,
} from './processing/handlers.ts'
export type { ProcessOutcome, ProcessTiming } from './processing/outcome.ts'
export type { EventQueue, EventSink, SinkContext } from './processing/sink.ts'
export { EventNotAppliedError, type JobResult, jobResult } from './queues/job-result.ts'
export { type QueuedEvent, queuedEvent, storable } from './queues/queued-event.ts'
export { createReceiver } from './receiver/receiver.ts'
export type { AboutEvent, CloseOptions, Receiver, Receivers } from './receiver/receiver-interface.ts'
export { createReceivers } from './receiver/receivers.ts'
export type { SecretLookup, SecretSource, Secrets } from './secrets/secret-source.ts'
export { memoryStore } from './stores/memory-store.ts'
export { type UnwrapOptions, unwrap } from './unwrap.ts'
export type { AttemptHeaders } from './verifier/signature-headers.ts'
export { SecretError, type SecretList } from './verifier/signing-secret.ts'
export type { Refusal, Verification, VerificationFailure, Verified } from './verifier/verification.ts'
export { BodyNotRawError, createVerifier, type Verifier, type VerifierOptions } from './verifier/verifier.ts'
export { WebhookVerificationError } from './webhook-verification-error.ts'

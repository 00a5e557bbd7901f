export type { BodyReading, IncomingAttempt } from './delivering/attempt.ts'
export type { BodyCauseCode, RefusalCause, RefusalCauseCode } from './diagnosis/refusal-cause.ts'
export { type DeliveryExplanation, explainDelivery } from './explain-delivery.ts'
export type { Answer, ErrorAnswer } from './interfaces/answer.ts'
export type { Logger } from './interfaces/logger.ts'
export type { EventQueue } from './interfaces/queue.ts'
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
export type { EventSinkOptions, ReceiverOptions, TransactionReceiverOptions } from './options/receiver-options.ts'
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
export type { EventSink, SinkContext } from './processing/sink.ts'
export { createReceiver } from './receiver/receiver.ts'
export type { AboutEvent, CloseOptions, Receiver, ReceiverFor, ReceiverOfMany } from './receiver/receiver-interface.ts'
export type { SecretLookup, SecretSource, Secrets } from './secrets/secret-source.ts'
export { memoryStore } from './stores/memory-store.ts'
export { type UnwrapOptions, unwrap } from './unwrap.ts'
export type { AttemptHeaders } from './verifier/signature-headers.ts'
export { SecretError, type SecretList } from './verifier/signing-secret.ts'
export type { Refusal, Verification, VerificationFailure, Verified } from './verifier/verification.ts'
export { BodyNotRawError, createVerifier, type Verifier, type VerifierOptions } from './verifier/verifier.ts'
export { WebhookVerificationError } from './webhook-verification-error.ts'

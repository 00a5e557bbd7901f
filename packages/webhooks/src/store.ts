/**
 * What a store of your own implements and uses: the interfaces of stores, the revision gate and their types. To choose a store, see
 * `@notewire/webhooks/sqlite`, `/postgres` and `/redis`. `@notewire/webhooks/testing` contains the checks that every store must pass.
 *
 * @module
 */

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
  ProcessedRecords,
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

export type { ApplyChanges, ConsumeReport, ConsumerContext } from './consuming/consume.ts'
export type {
  ConsumeDueOptions,
  ConsumeOptions,
  ConsumerBackoff,
  ConsumerStatus,
  MirrorConsumers,
  ParkedNote,
} from './consuming/consumer.ts'
export type { MirrorOptions } from './context/mirror-options.ts'
export type { SyncOptions, SyncReport } from './context/sync-options.ts'
export type { ConsumerChange, ContentChange, NotePart, RemovalChange } from './interfaces/consumer-change.ts'
export type {
  ConsumableNote,
  ConsumableNotes,
  ConsumableRequest,
  ConsumerCommit,
  ConsumerCommitResult,
  ConsumerDescription,
  ConsumerNote,
  ConsumerRecord,
  ConsumerState,
  ConsumerStore,
  ErrorFacts,
} from './interfaces/consumer-store.ts'
export {
  IntegrationBusyError,
  IntegrationRemovedError,
  KeyChangedError,
  KeySharedError,
  MirrorBusyError,
  MirrorError,
  type MirrorErrorCode,
} from './interfaces/errors.ts'
export type {
  EndpointRecord,
  Fence,
  IntegrationCounts,
  IntegrationRecord,
  IntegrationState,
  IntegrationStore,
  ListRequest,
  NextWork,
  ParkedBecause,
  TakenIntegration,
  TakeRequest,
} from './interfaces/integration-store.ts'
export type {
  AroundWork,
  AuditNotice,
  ContradictionNotice,
  MirrorHooks,
  ProblemNotice,
  ProgressNotice,
  RemovalsHeldNotice,
  WorkEnd,
} from './interfaces/mirror-hooks.ts'
export type {
  DeletionFloor,
  Evidence,
  EvidenceSource,
  HeardEvent,
  HeldContent,
  NoteState,
  Presence,
} from './interfaces/note-state.ts'
export type { ContentParts, ContentWrite, NoteWrite } from './interfaces/note-write.ts'
export type {
  CompletedScan,
  CompletionCertificate,
  ConfirmationProgress,
  CopyState,
  ListerLease,
  MirrorProgress,
  PollProgress,
  ScanProgress,
} from './interfaces/progress.ts'
export type {
  ChangedNote,
  DueNote,
  DueNotes,
  DueRequest,
  HeldRemovals,
  LoadedNotes,
  LoadedProgress,
  MirrorCommit,
  MirrorStore,
  NoteCounts,
  VersionedState,
} from './interfaces/store.ts'
export type { StoredNote } from './interfaces/stored-note.ts'
export type { IntegrationMirror } from './many/integration-mirror.ts'
export type { IntegrationStatus, MirrorsStatus } from './many/integration-status.ts'
export type {
  AddOptions,
  MirrorsHooks,
  MirrorsOptions,
  MirrorsReceiversOptions,
  ParkedNotice,
  PausedService,
  ResumedNotice,
  SaveSecret,
  SecretToSave,
  ServiceAccess,
  ServicePausedNotice,
  WorkOptions,
  WorkReport,
} from './many/mirrors-options.ts'
export { createMirror, type Mirror, type MirrorReceiverOptions } from './mirror.ts'
export { createMirrors, type Mirrors } from './mirrors.ts'
export type { ChangesOptions, MirrorChange, MirrorChangeKind } from './reader/changes.ts'
export type { Explanation } from './reader/explain.ts'
export { type MirroredNote, type MirrorReader, type MirrorReaderOptions, openMirror } from './reader/mirror-reader.ts'
export type { MirrorStatus } from './reader/status.ts'
export type { ContentPart } from './rules/keep.ts'
export { memoryMirror } from './stores/memory-store.ts'
export { PurgeIncompleteError, type PurgeObstacle } from './stores/purge-incomplete-error.ts'

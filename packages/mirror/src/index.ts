export type { ErrorFacts } from '@notewire/protocol'
export type { ConsumeReport } from './consuming/consume.ts'
export type {
  ConsumeDueOptions,
  ConsumeOptions,
  ConsumerStatus,
  MirrorConsumers,
} from './consuming/consumer.ts'
export type { ApplyChanges, ConsumerContext } from './consuming/round.ts'
export type { MirrorOptions } from './context/mirror-options.ts'
export type { SyncOptions, SyncReport } from './context/sync.ts'
export type { IntegrationStatus, MirrorsStatus } from './engine/integration-status.ts'
export type { Mirror, MirrorReceiverOptions } from './engine/mirror-type.ts'
export type {
  AddOptions,
  MirrorsOptions,
  MirrorsReceiversOptions,
  SaveSecret,
  SecretToSave,
  ServiceAccess,
  WorkOptions,
  WorkReport,
} from './engine/mirrors-options.ts'
export type { ConsumerChange, ContentChange, NotePart, RemovalChange } from './interfaces/consumer-change.ts'
export {
  IntegrationBusyError,
  IntegrationRemovedError,
  KeyChangedError,
  KeySharedError,
  MirrorBusyError,
  MirrorError,
  type MirrorErrorCode,
  MirrorInUseError,
} from './interfaces/errors.ts'
export type { IntegrationState, ParkedBecause } from './interfaces/integration-store.ts'
export type {
  AroundWork,
  AuditNotice,
  ContradictionNotice,
  MirrorHooks,
  ParkedNotice,
  PausedService,
  ProblemNotice,
  ProgressNotice,
  RemovalsHeldNotice,
  WorkEnd,
} from './interfaces/mirror-hooks.ts'
export type { NoteState, Presence } from './interfaces/note-state.ts'
export type { ContentPart } from './interfaces/note-write.ts'
export type { Problem } from './interfaces/problem.ts'
export type { CompletedScan, ScanProgress } from './interfaces/progress.ts'
export type { HeldRemovals, MirrorStore, NoteCounts } from './interfaces/store.ts'
export { createMirror } from './mirror.ts'
export { createMirrors, type Mirrors } from './mirrors.ts'
export type { ChangesOptions, MirrorChange } from './reader/changes.ts'
export type { Explanation } from './reader/explain.ts'
export { type MirroredNote, type MirrorReader, type MirrorReaderOptions, openMirror } from './reader/mirror-reader.ts'
export type { MirrorStatus } from './reader/status.ts'

export type { ErrorFacts } from '@notewire/protocol'
export type { ConsumerChange, ContentChange, RemovalChange } from './consumers/consumer-change.ts'
export type { ConsumeReport } from './consuming/consume.ts'
export type {
  ConsumeDueOptions,
  ConsumeOptions,
  ConsumerStatus,
  MirrorConsumers,
} from './consuming/consumer.ts'
export type { ApplyChanges, ConsumerContext } from './consuming/round.ts'
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
export {
  IntegrationBusyError,
  IntegrationRemovedError,
  KeyChangedError,
  KeySharedError,
  MirrorBusyError,
  MirrorError,
  type MirrorErrorCode,
  MirrorInUseError,
} from './errors.ts'
export type { SyncOptions, SyncReport } from './fetching/sync.ts'
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
} from './hooks.ts'
export type { IntegrationState, ParkedBecause } from './integrations/integration-store.ts'
export type { Problem } from './integrations/problem.ts'
export type { CompletedFullListing, FullListingProgress } from './integrations/progress.ts'
export { createMirror } from './mirror.ts'
export { createMirrors, type Mirrors } from './mirrors.ts'
export type { NotePart } from './notes/note-parts.ts'
export type { NoteState, Presence } from './notes/note-state.ts'
export type { ContentPart } from './notes/note-write.ts'
export type { MirrorOptions } from './options.ts'
export type { ChangesOptions, MirrorChange } from './reader/changes.ts'
export type { Explanation } from './reader/explain.ts'
export { type MirroredNote, type MirrorReader, type MirrorReaderOptions, openMirror } from './reader/mirror-reader.ts'
export type { MirrorStatus } from './reader/status.ts'
export type { HeldRemovals, MirrorStore, NoteCounts } from './stores/mirror-store.ts'

export { KeyChangedError, MirrorBusyError, MirrorError, type MirrorErrorCode } from './errors.ts'
export type { Explanation } from './explain.ts'
export type { ChangesOptions, MirrorChange, MirrorChangeKind } from './feed/changes.ts'
export type { CompletionCertificate } from './listing/certificate.ts'
export type {
  CompletedScan,
  ConfirmationProgress,
  ListerLease,
  MirrorProgress,
  PollProgress,
  ScanProgress,
} from './listing/progress.ts'
export { createMirror, type Mirror, type MirrorReceiverOptions } from './mirror.ts'
export type { MirrorHooks, ProblemNotice, ProgressNotice, RemovalsHeldNotice } from './mirror-hooks.ts'
export type { MirrorOptions } from './mirror-options.ts'
export { type MirroredNote, type MirrorReader, type MirrorReaderOptions, openMirror } from './mirror-reader.ts'
export type { ContentPart } from './rules/keep.ts'
export type {
  DeletionFloor,
  Evidence,
  EvidenceSource,
  HeardEvent,
  HeldContent,
  NoteState,
  Presence,
} from './rules/note-state.ts'
export type { MirrorStatus } from './status.ts'
export { memoryMirror } from './stores/memory-store.ts'
export { PurgeIncompleteError, type PurgeObstacle } from './stores/purge-incomplete-error.ts'
export type {
  ChangedNote,
  ContentParts,
  ContentWrite,
  DueNote,
  DueNotes,
  DueRequest,
  HeldRemovals,
  LoadedNotes,
  LoadedProgress,
  MirrorCommit,
  MirrorStore,
  NoteCounts,
  NoteWrite,
  StoredNote,
  VersionedState,
} from './stores/store.ts'
export type { SyncOptions, SyncReport } from './sync-options.ts'

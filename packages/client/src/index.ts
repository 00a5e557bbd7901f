export { isTombstone, type Note, type Summary, type Transcript, type WebhookEndpoint } from '@notewire/protocol'
export type { ChangesOptions, ChangesPage, ChangesQuery } from './changes/note-changes.ts'
export type { ContentListOptions } from './content/list-with-content.ts'
export type { AbsentContent, NoteWithContent, SummaryContent, TranscriptContent } from './content/read-content.ts'
export type { ActivationOptions } from './endpoint-activation.ts'
export { ApiError, type ApiErrorFacts, ForbiddenError, NotFoundError, RateLimitedError } from './errors/api-error.ts'
export {
  type ApiErrorCode,
  type CallAttempt,
  type ClientErrorCode,
  ConnectionError,
  EndpointNotActiveError,
  InvalidResponseError,
  type InvalidResponseFacts,
  NotesClientError,
} from './errors/notes-client-error.ts'
export type { KeyIdentity } from './key-identity.ts'
export type { NoteList } from './listing/note-list.ts'
export type { NoteListQuery } from './listing/note-list-query.ts'
export type { LeftOutNote, ListedPage } from './listing/note-page.ts'
export type {
  AbsentPart,
  CurrentNote,
  CurrentSummary,
  CurrentTranscript,
  NotePart,
} from './note-handlers/current-note.ts'
export type { NoteSource } from './note-handlers/fetch-note.ts'
export type { AppliedNote } from './note-handlers/judge-note.ts'
export { KeyUnprovenError } from './note-handlers/key-unproven-error.ts'
export { type NoteHandlers, noteHandlers, type PreparedNote } from './note-handlers/note-handlers.ts'
export type {
  NoteHandlerContext,
  NoteHandlersOptions,
  NotePreparationContext,
  NoteRemoval,
} from './note-handlers/note-handlers-options.ts'
export { type NotCurrent, NoteNotCurrentError } from './note-handlers/note-not-current-error.ts'
export type { Notes } from './notes.ts'
export { NotesClient } from './notes-client.ts'
export type { CallOptions } from './options/call-options.ts'
export type { DriftNotice, NotesClientHooks, RequestNotice, ResponseNotice, RetryNotice } from './options/hooks.ts'
export type { NotesClientOptions } from './options/notes-client-options.ts'
export type { WebhookEndpointCreation, WebhookEndpoints, WebhookEndpointUpdate } from './webhook-endpoints.ts'

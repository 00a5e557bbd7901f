import type { NoteEventKind, OpenEnum } from './contract.ts'

/** The status of a note (open point 3). `deleted` marks a tombstone. */
export type NoteStatus = OpenEnum<'pending' | 'ended' | 'deleted'>

/** The status of a transcript (contract §6; open point 3). */
export type TranscriptStatus = OpenEnum<'pending' | 'ready' | 'empty' | 'failed'>

/** The status of a summary (contract §6; open point 3). */
export type SummaryStatus = OpenEnum<'pending' | 'ready' | 'missing' | 'failed'>

/** The owner of a note: a personal account or a channel (contract §1; open point 3). */
export interface NoteOwner {
  readonly type: OpenEnum<'personal' | 'channel'>
  /** Identifies the channel, when the note belongs to one. */
  readonly channel_id?: string | null | undefined
}

/**
 * A note, as the REST API shows it (contract §2; open points 2 to 4).
 *
 * Only the identifier and the revision are certain, because the contract does not show the full record. Unknown fields are kept.
 */
export interface Note {
  /** Identifies the note. Copied from `id` if the service sends that instead. */
  readonly note_id: string
  /** Rises whenever something that the API shows changes. Never falls. */
  readonly revision: number
  readonly title?: string | null | undefined
  readonly content?: string | null | undefined
  readonly status?: NoteStatus | null | undefined
  readonly transcript_status?: TranscriptStatus | null | undefined
  readonly summary_status?: SummaryStatus | null | undefined
  /** ISO 8601, UTC. */
  readonly created_at?: string | null | undefined
  /** ISO 8601, UTC. What `updated_after` is compared to. */
  readonly updated_at?: string | null | undefined
  /** ISO 8601, UTC; `null` before the first recording session has ended. */
  readonly ended_at?: string | null | undefined
  /** ISO 8601, UTC; set on a tombstone. */
  readonly deleted_at?: string | null | undefined
  readonly owner?: NoteOwner | null | undefined
}

/** One page of the list of notes (contract §4). */
export interface NotePage {
  readonly notes: readonly Note[]
  /** What to send as `cursor` for the next page, or `null` on the last one. */
  readonly next_cursor: string | null
  /** `true` while more pages follow. A page may be empty and still have more after it. */
  readonly has_more: boolean
}

/** One recording of a note. A note can have several (contract §2). */
export interface RecordingSession {
  readonly recording_session_id: string
}

/**
 * Tells whether a note record is a deletion marker (contract §2; open point 4).
 *
 * @example
 * ```ts
 * import { isTombstone } from '@notewire/protocol'
 *
 * isTombstone({ note_id: 'note_1', revision: 4, status: 'deleted' }) // true
 * ```
 */
export function isTombstone(note: Note): boolean {
  return note?.status === 'deleted' || (note?.deleted_at !== undefined && note.deleted_at !== null)
}

/** One stretch of speech in a transcript (open point 9). */
export interface TranscriptSegment {
  readonly speaker?: string | null | undefined
  /** Milliseconds from the start of the recording. */
  readonly start_ms?: number | null | undefined
  /** Milliseconds from the start of the recording. */
  readonly end_ms?: number | null | undefined
  readonly text: string
}

/** The transcript of a note (contract §2; open point 9). */
export interface Transcript {
  readonly note_id: string
  /** The note's revision when the transcript was read. Optional. */
  readonly revision?: number | null | undefined
  readonly text: string
  readonly segments?: readonly TranscriptSegment[] | null | undefined
}

/** The summary of a note, ready or not (contract §2; open point 10). */
export interface Summary {
  readonly note_id: string
  /** The note's revision when the summary was read. Optional. */
  readonly revision?: number | null | undefined
  readonly status?: SummaryStatus | null | undefined
  /** The summary as Markdown, or `null` while there is none. */
  readonly markdown: string | null
}

/** The status of an endpoint (contract §3; open point 15). */
export type EndpointStatus = OpenEnum<'pending_verification' | 'active' | 'disabled'>

/** A registered webhook endpoint (contract §2; open point 13). */
export interface WebhookEndpoint {
  /** Identifies the endpoint. Copied from `id` if the service sends that instead. */
  readonly endpoint_id: string
  readonly url?: string | null | undefined
  readonly events?: readonly OpenEnum<NoteEventKind>[] | null | undefined
  readonly status?: EndpointStatus | null | undefined
  /** ISO 8601, UTC. */
  readonly created_at?: string | null | undefined
}

/** An endpoint in the one answer that shows its signing secret: at creation and at rotation (contract §2). */
export interface WebhookEndpointWithSecret extends WebhookEndpoint {
  /** `whsec_` and base64url text. Shown once: keep it where the receiver finds it, and out of logs. */
  readonly signing_secret: string
}

/** The usual body of a REST error (open point 22). The service may send any other body. */
export interface ApiErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    /** The scope that the key lacks, on a 403. */
    readonly scope?: string | null | undefined
  }
}

import type { Note, NoteOwner, Summary, Transcript, TranscriptSegment, WebhookEndpoint } from '@notewire/protocol'
import { NOTE_EVENT_KINDS } from '@notewire/protocol'

/** What this version knows of a resource. */
export interface KnownResource {
  readonly name: string
  /** Each field with what is known of its value; in a list, of each value. */
  readonly fields: ReadonlyMap<string, KnownValue>
}

/** Anything, one of these words, or a resource of its own. */
type KnownValue = typeof ANYTHING | readonly string[] | KnownResource

/** A value that may be anything of its type. */
export const ANYTHING = 'anything'

const NOTE_OWNER = resource<NoteOwner>('note.owner', { type: ['personal', 'channel'], channel_id: ANYTHING })

export const NOTE = resource<Note>('note', {
  note_id: ANYTHING,
  revision: ANYTHING,
  title: ANYTHING,
  content: ANYTHING,
  status: ['pending', 'ended', 'deleted'],
  transcript_status: ['pending', 'ready', 'empty', 'failed'],
  summary_status: ['pending', 'ready', 'missing', 'failed'],
  created_at: ANYTHING,
  updated_at: ANYTHING,
  ended_at: ANYTHING,
  deleted_at: ANYTHING,
  owner: NOTE_OWNER,
})

const TRANSCRIPT_SEGMENT = resource<TranscriptSegment>('transcript.segments', {
  speaker: ANYTHING,
  start_ms: ANYTHING,
  end_ms: ANYTHING,
  text: ANYTHING,
})

export const TRANSCRIPT = resource<Transcript>('transcript', {
  note_id: ANYTHING,
  revision: ANYTHING,
  text: ANYTHING,
  segments: TRANSCRIPT_SEGMENT,
})

export const SUMMARY = resource<Summary>('summary', {
  note_id: ANYTHING,
  revision: ANYTHING,
  status: ['pending', 'ready', 'missing', 'failed'],
  markdown: ANYTHING,
})

export const WEBHOOK_ENDPOINT = resource<WebhookEndpoint & { readonly signing_secret: string }>('webhook_endpoint', {
  endpoint_id: ANYTHING,
  url: ANYTHING,
  events: NOTE_EVENT_KINDS,
  status: ['pending_verification', 'active', 'disabled'],
  created_at: ANYTHING,
  signing_secret: ANYTHING,
})

function resource<Shape>(
  name: string,
  fields: { readonly [Field in keyof Required<Shape>]: KnownValue },
): KnownResource {
  // Some services call the identifier of any resource `id` (open points 2 and 13).
  return { name, fields: new Map<string, KnownValue>([...Object.entries<KnownValue>(fields), ['id', ANYTHING]]) }
}

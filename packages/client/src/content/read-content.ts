import {
  isTombstone,
  type Note,
  type Summary,
  type SummaryStatus,
  type Transcript,
  type TranscriptStatus,
} from '@notewire/protocol'
import { NotesClientError } from '../errors/notes-client-error.ts'
import type { CallOptions } from '../options/call-options.ts'
import { readBoth } from './read-both.ts'

/** The transcript of a listed note, or why there is none. */
export type TranscriptContent =
  | { readonly status: 'ready'; readonly transcript: Transcript }
  | { readonly status: 'empty' }
  | AbsentContent

/** The summary of a listed note, or why there is none. */
export type SummaryContent =
  | { readonly status: 'ready'; readonly summary: Summary & { readonly markdown: string } }
  | { readonly status: 'missing' }
  | AbsentContent

/** Content that cannot be read. */
export interface AbsentContent {
  /**
   * - `not_ready`: it may become ready later; an event announces it.
   * - `content_not_found`: its status in the note is `ready`, but the service answered 404. The note may be deleted, or the service
   *   may lag: read the note with `client.notes.get` to find out.
   * - `failed`: the service could not create it.
   * - `gone`: the note is deleted. Its record is a tombstone.
   */
  readonly status: 'not_ready' | 'content_not_found' | 'failed' | 'gone'
}

/** A listed note with its transcript and its summary. */
export interface NoteWithContent {
  readonly note: Note
  readonly transcript: TranscriptContent
  readonly summary: SummaryContent
}

/** The operations that read the content of a note. */
export interface ContentReads {
  transcript(noteId: string, options: CallOptions): Promise<Transcript>
  summary(noteId: string, options: CallOptions): Promise<Summary>
}

/** Reads the transcript and the summary of a listed note concurrently. If one of the requests fails, the other is aborted. */
export async function readNoteContent(note: Note, reads: ContentReads, options: CallOptions): Promise<NoteWithContent> {
  const [transcript, summary] = await readBoth(
    options.signal,
    (signal) => readTranscriptContent(note, () => reads.transcript(note.note_id, { ...options, signal })),
    (signal) => readSummaryContent(note, () => reads.summary(note.note_id, { ...options, signal })),
  )
  return { note, transcript, summary }
}

/**
 * Reads the transcript of a listed note, unless its status in the note says that there is none.
 *
 * @throws what `read` throws, except for a missing transcript
 */
export async function readTranscriptContent(note: Note, read: () => Promise<Transcript>): Promise<TranscriptContent> {
  if (isTombstone(note)) return { status: 'gone' }
  const listed = ABSENT_TRANSCRIPTS.get(note.transcript_status ?? '')
  if (listed !== undefined) return listed
  try {
    return { status: 'ready', transcript: await read() }
  } catch (error) {
    return { status: absenceOf(error, note.transcript_status) }
  }
}

/**
 * Reads the summary of a listed note, unless its status in the note says that there is none.
 *
 * @throws what `read` throws, except for a missing summary
 */
export async function readSummaryContent(note: Note, read: () => Promise<Summary>): Promise<SummaryContent> {
  if (isTombstone(note)) return { status: 'gone' }
  const listed = ABSENT_SUMMARIES.get(note.summary_status ?? '')
  if (listed !== undefined) return listed
  try {
    const summary = await read()
    // A service may answer with the status of a summary that does not exist yet (open point 10).
    if (!hasText(summary)) return ABSENT_SUMMARIES.get(summary.status ?? '') ?? { status: 'not_ready' }
    return { status: 'ready', summary }
  } catch (error) {
    return { status: absenceOf(error, note.summary_status) }
  }
}

// The statuses of missing content. With any other status, the content is read.
const ABSENT_TRANSCRIPTS: ReadonlyMap<TranscriptStatus, TranscriptContent> = new Map([
  ['pending', { status: 'not_ready' }],
  ['empty', { status: 'empty' }],
  ['failed', { status: 'failed' }],
])
const ABSENT_SUMMARIES: ReadonlyMap<SummaryStatus, SummaryContent> = new Map([
  ['pending', { status: 'not_ready' }],
  ['missing', { status: 'missing' }],
  ['failed', { status: 'failed' }],
])

function hasText(summary: Summary): summary is Summary & { readonly markdown: string } {
  return summary.markdown !== null
}

/**
 * A 404 without a code does not mean that the note is deleted: some services answer it for content that is not ready (open points 9 and
 * 10). If the status in the note is `ready`, only another read of the note can tell.
 */
function absenceOf(error: unknown, listedStatus: string | null | undefined): 'not_ready' | 'content_not_found' {
  const code = error instanceof NotesClientError ? error.code : undefined
  if (code === 'not_ready') return 'not_ready'
  if (code === 'content_not_found') return listedStatus === 'ready' ? 'content_not_found' : 'not_ready'
  throw error
}

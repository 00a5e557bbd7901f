import type { Note, Summary, Transcript } from '@notewire/protocol'
import { readBoth } from '../content/read-both.ts'
import { readSummaryContent, readTranscriptContent } from '../content/read-content.ts'
import { NotFoundError } from '../errors/api-error.ts'
import type { CallOptions } from '../options/call-options.ts'
import { type CurrentNote, currentSummary, currentTranscript, type NotePart } from './current-note.ts'

/** What {@link noteHandlers} needs of a `NotesClient`. */
export interface NoteSource {
  readonly notes: {
    get(noteId: string, options: CallOptions): Promise<Note>
    transcript(noteId: string, options: CallOptions): Promise<Transcript>
    summary(noteId: string, options: CallOptions): Promise<Summary>
  }
  readonly serviceTime: () => Date | undefined
}

/** What the service returned for a note: its current state, or that the key can access no such note. */
export type FetchedNote = ({ readonly status: 'found' } & CurrentNote) | { readonly status: 'not_found' }

/** Fetches the record of a note; `undefined` if the key can access no such note. */
export async function fetchRecord(
  { notes }: NoteSource,
  noteId: string,
  signal: AbortSignal,
): Promise<Note | undefined> {
  try {
    return await notes.get(noteId, { signal })
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

/** Fetches the requested parts of a note concurrently. If a request for a part fails, the other is aborted. */
export async function fetchParts(
  { notes }: NoteSource,
  noteId: string,
  note: Note,
  parts: readonly NotePart[],
  signal: AbortSignal,
): Promise<FetchedNote> {
  const [transcript, summary] = await readBoth(
    signal,
    async (stop) =>
      parts.includes('transcript')
        ? currentTranscript(await readTranscriptContent(note, () => notes.transcript(noteId, { signal: stop })))
        : NOT_FETCHED,
    async (stop) =>
      parts.includes('summary')
        ? currentSummary(await readSummaryContent(note, () => notes.summary(noteId, { signal: stop })))
        : NOT_FETCHED,
  )
  return { status: 'found', note, transcript, summary }
}

const NOT_FETCHED = { status: 'not_fetched' } as const

/** Whether a part has a lower revision than its note. */
export function hasLowerContentRevision(fetched: FetchedNote): boolean {
  if (fetched.status === 'not_found') return false
  const { note, transcript, summary } = fetched
  return [transcript, summary].some(
    (part) => part.status === 'ready' && (part.revision ?? note.revision) < note.revision,
  )
}

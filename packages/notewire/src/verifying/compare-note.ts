import { isDeepStrictEqual } from 'node:util'
import type { NoteWithContent } from '@notewire/client'
import type { Explanation, MirroredNote } from '@notewire/mirror'
import { isTombstone, type Note, type Transcript } from '@notewire/protocol'

/** What the copy has of a note; `note` is `undefined` if it does not show the note. */
export interface CopiedNote {
  readonly note: MirroredNote | undefined
  readonly state: Explanation['state']
}

/** How a note of the copy differs from the note at the service. It names fields, never their content. */
export interface Difference {
  readonly fields: readonly string[]
  /** Whether the copy is to get the change with the next poll, or has the note still to read. */
  readonly isBehind: boolean
}

/** A copy that keeps no content has no title and no content in its records. */
const RECORD_FIELDS = [
  'revision',
  'title',
  'content',
  'status',
  'transcript_status',
  'summary_status',
  'created_at',
  'ended_at',
] as const satisfies readonly (keyof Note)[]

/**
 * Compares a note of the copy with the note as the service shows it.
 *
 * @param read  the note at the service, or `undefined` for a 404
 * @param listedUntil  the copy has every change up to this time of the service, in milliseconds
 * @returns `undefined` if they are the same
 */
export function compareNote(
  { note: copied, state }: CopiedNote,
  read: NoteWithContent | undefined,
  listedUntil: number,
): Difference | undefined {
  const isPending = state !== undefined && (state.dirty !== null || state.presence === 'hidden')
  const note = read === undefined || isTombstone(read.note) ? undefined : read.note
  if (copied === undefined && note === undefined) return undefined
  if (copied === undefined || note === undefined) {
    // A 404 has no time: the program cannot know whether the note has gone since the last poll.
    const changedAt = timeOf(read?.note.deleted_at ?? read?.note.updated_at)
    return { fields: ['presence'], isBehind: isPending || changedAt > listedUntil }
  }
  const fields = [...recordFields(copied.note, note), ...contentFields(copied, read, state)]
  if (fields.length === 0) return undefined
  return { fields, isBehind: isPending || !copied.isSettled || isNews(note, copied.note, listedUntil) }
}

function recordFields(copied: Note, note: Note): readonly string[] {
  return RECORD_FIELDS.filter((field) => field in copied && (copied[field] ?? null) !== (note[field] ?? null))
}

/** Only of the parts that the copy keeps. */
function contentFields(
  { transcript, summary }: MirroredNote,
  read: NoteWithContent | undefined,
  state: CopiedNote['state'],
): readonly string[] {
  const isSameTranscript = isDeepStrictEqual(textOf(transcript), transcriptIn(read))
  const isSameSummary = (summary?.markdown ?? null) === summaryIn(read)
  return [
    ...(state?.transcriptHeld && !isSameTranscript ? ['transcript'] : []),
    ...(state?.summaryHeld && !isSameSummary ? ['summary'] : []),
  ]
}

/** Whether a note changed after the time up to which the copy has every change. A note without a time may have. */
function isNews(note: Note, copied: Note, listedUntil: number): boolean {
  const changedAt = timeOf(note.updated_at)
  const isNewer = note.revision > copied.revision || changedAt > timeOf(copied.updated_at)
  return isNewer && !(changedAt <= listedUntil)
}

/** `NaN`, which is neither before nor after any time, if there is no time. */
function timeOf(date: string | null | undefined): number {
  return Date.parse(date ?? '')
}

function transcriptIn(read: NoteWithContent | undefined) {
  return read?.transcript.status === 'ready' ? textOf(read.transcript.transcript) : null
}

/** Without the revision, which is that of the read. */
function textOf(transcript: Transcript | null) {
  return transcript && { text: transcript.text, segments: transcript.segments ?? null }
}

function summaryIn(read: NoteWithContent | undefined): string | null {
  return read?.summary.status === 'ready' ? read.summary.summary.markdown : null
}

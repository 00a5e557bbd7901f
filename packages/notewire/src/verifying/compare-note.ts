import { isDeepStrictEqual } from 'node:util'
import type { NoteWithContent } from '@notewire/client'
import type { Explanation, MirroredNote } from '@notewire/mirror'
import { isTombstone, type Note, type Transcript } from '@notewire/protocol'

/** How the copy of a note differs from the note at the service. */
export interface Difference {
  /** The names of the fields, never their content. `presence`: only one of both has the note. */
  readonly fields: readonly string[]
  /** Whether the note changed after the last poll of the copy, or is marked there to be read again. */
  readonly isBehind: boolean
}

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
 * @param copied  `undefined` if the copy does not show the note
 * @param read  `undefined` if the service answers 404
 * @param listedUntil  the copy has every change up to this time of the service, in milliseconds
 * @returns `undefined` if both are the same
 */
export function compareNote(
  copied: MirroredNote | undefined,
  state: Explanation['state'],
  read: NoteWithContent | undefined,
  listedUntil: number,
): Difference | undefined {
  const isPending = state !== undefined && (state.dirty !== null || state.presence === 'hidden')
  const isThere = read !== undefined && !isTombstone(read.note)
  if (copied !== undefined && isThere) {
    const fields = differingFields(copied, state, read)
    const isBehind = isPending || !copied.isSettled || isNews(read.note, copied.note, listedUntil)
    return fields.length === 0 ? undefined : { fields, isBehind }
  }
  // A 404 has no time: the program cannot know whether the note has gone since the last poll.
  const changedAt = timeOf(read?.note.deleted_at ?? read?.note.updated_at)
  return copied === undefined && !isThere
    ? undefined
    : { fields: ['presence'], isBehind: isPending || changedAt > listedUntil }
}

/** A copy need not keep all parts of a note. */
function differingFields(
  { note: record, transcript, summary }: MirroredNote,
  state: Explanation['state'],
  read: NoteWithContent,
): readonly string[] {
  const { note } = read
  const readTranscript = read.transcript.status === 'ready' ? read.transcript.transcript : null
  const readSummary = read.summary.status === 'ready' ? read.summary.summary : null
  const isSameTranscript = isDeepStrictEqual(textOf(transcript), textOf(readTranscript))
  const isSameSummary = (summary?.markdown ?? null) === (readSummary?.markdown ?? null)
  return [
    ...RECORD_FIELDS.filter((field) => field in record && (record[field] ?? null) !== (note[field] ?? null)),
    ...(state?.transcriptHeld && !isSameTranscript ? ['transcript'] : []),
    ...(state?.summaryHeld && !isSameSummary ? ['summary'] : []),
  ]
}

/** Without the revision, which is that of the read. */
function textOf(transcript: Transcript | null) {
  return transcript && { text: transcript.text, segments: transcript.segments ?? null }
}

/** Whether a note changed after the time up to which the copy has every change. A note without a time may have. */
function isNews(note: Note, copied: Note, listedUntil: number): boolean {
  const changedAt = timeOf(note.updated_at)
  const isNewer = note.revision > copied.revision || changedAt > timeOf(copied.updated_at)
  return isNewer && !(changedAt <= listedUntil)
}

/** `NaN`, which is neither before nor after any time, if there is none. */
function timeOf(date: string | null | undefined): number {
  return Date.parse(date ?? '')
}

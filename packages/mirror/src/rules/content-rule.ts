import type { NoteWithContent } from '@notewire/client'
import type { Note } from '@notewire/protocol'
import type { ContentOutcome, NoteState } from '../notes/note-state.ts'
import type { ContentParts, KeptParts } from '../notes/note-write.ts'
import { backoffAfter, scheduled } from './backoff.ts'
import type { Decision } from './evidence.ts'
import { endOfLag, isPastLag, latestServiceTimeIn, trustedTime } from './time.ts'

const ABSENT: ReadonlySet<string> = new Set(['pending', 'empty', 'missing', 'failed'])

/** Whether a status means that there is no content. The service changes such a status when content becomes available. */
export function meansAbsent(status: string | null | undefined): boolean {
  return ABSENT.has(status ?? '')
}

/**
 * How a transcript and a summary relate to the record that they were read for.
 *
 * - `settled`: they belong to the record's revision.
 * - `unconfirmed`: they carry no revision, or are absent although no status says so. They are accepted if the note has the same
 *   revision before and after they are read.
 * - `outdated`: the note may have changed or been removed since its record was read. The note is read again.
 * - `lagging`: they are absent although the record's status is `ready`. They are read again later.
 */
export type ContentVerdict = 'settled' | 'unconfirmed' | 'outdated' | 'lagging'

export function judgeContent(content: NoteWithContent, keep: KeptParts): ContentVerdict {
  const { note } = content
  const kept = PARTS.filter((part) => keep.has(part))
  const verdicts = kept.map((part) => judgePart(note, note[`${part}_status`], content[part]))
  return WORST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? 'settled'
}

/** Whether content that was read at the same time as a record is settled for it, and contains no part that the record's statuses call absent. */
export function isContentOf(note: Note, content: NoteWithContent, keep: KeptParts): boolean {
  const isUnexpected = PARTS.some((part) => content[part].status === 'ready' && meansAbsent(note[`${part}_status`]))
  return !isUnexpected && judgeContent({ ...content, note }, keep) === 'settled'
}

const PARTS = ['transcript', 'summary'] as const
const WORST_FIRST: readonly ContentVerdict[] = ['outdated', 'lagging', 'unconfirmed']

type ReadPart = NoteWithContent[(typeof PARTS)[number]]

/** Whether a part that the mirror keeps is absent although its status in the record is `ready`. */
export function lacksReadyPart(content: NoteWithContent, keep: KeptParts): boolean {
  const isReady = (part: (typeof PARTS)[number]) => content.note[`${part}_status`] === 'ready'
  return PARTS.some((part) => keep.has(part) && isReady(part) && content[part].status !== 'ready')
}

/** Absent content is settled only by a status that means so. Existing content is settled only if it has the record's revision. */
function judgePart(note: Note, listed: string | null | undefined, part: ReadPart): ContentVerdict {
  const { status } = part
  const revision = revisionOf(part)
  if (status === 'gone' || status === 'content_not_found' || revision > note.revision) return 'outdated'
  if (status === 'ready') return revision === note.revision ? 'settled' : 'unconfirmed'
  if (meansAbsent(listed)) return 'settled'
  return listed === 'ready' && status === 'not_ready' ? 'lagging' : 'unconfirmed'
}

function revisionOf(part: ReadPart): number {
  if (part.status !== 'ready') return -1
  return ('transcript' in part ? part.transcript.revision : part.summary.revision) ?? -1
}

/**
 * Stores settled content. Returns `undefined` if the note has changed since the content was read: that change has made the note due or
 * removed it.
 */
export function applyContent(
  state: NoteState,
  { note, transcript, summary }: NoteWithContent,
  keep: KeptParts,
  now: number,
): (Decision & { readonly content: ContentParts }) | undefined {
  if (!isUnchanged(state, note) || state.settledRevision !== null) return undefined
  const settled: NoteState = {
    ...state,
    settledRevision: note.revision,
    transcriptOutcome: keep.has('transcript') ? outcomeOf(transcript) : null,
    summaryOutcome: keep.has('summary') ? outcomeOf(summary) : null,
    attempts: 0,
    failures: 0,
  }
  const content: ContentParts = {
    transcript: keep.has('transcript') && transcript.status === 'ready' ? transcript.transcript : null,
    summary: keep.has('summary') && summary.status === 'ready' ? summary.summary : null,
  }
  return { state: scheduled(settled, now), content, announce: 'changed' }
}

export interface ContentRequest {
  /** Milliseconds since the Unix epoch of this machine's clock. */
  readonly requestedAt: number
  /** The service's time at the request or a little earlier, from its `Date` header; `null` without the header. */
  readonly serviceTime: number | null
}

/**
 * Whether content without the note's revision may be older than the note, because the record changed within the last minute: by the
 * time at which this machine first read the record, and by the service's `updated_at` (open point 36).
 */
export function mayContentLag(
  { recordSeenAt }: Pick<NoteState, 'recordSeenAt'>,
  { updated_at }: Note,
  { requestedAt, serviceTime }: ContentRequest,
): boolean {
  if (isPastLag(trustedTime(recordSeenAt ?? requestedAt, requestedAt), requestedAt)) return false
  const changedAt = latestServiceTimeIn(updated_at)
  return serviceTime === null || changedAt === null || !isPastLag(changedAt, serviceTime)
}

/**
 * Stores content that was read after its record. If another read of the note ended in between, the content may be older than that read,
 * so it is read again.
 *
 * @param asOf  the end of the evidence of the record that the content was read for
 * @param mayLag  whether the content may be older than the note: then it is shown now, and read again when the lag is over
 */
export function applyLateContent(
  state: NoteState,
  content: NoteWithContent,
  { asOf, mayLag }: { readonly asOf: number | undefined; readonly mayLag: boolean },
  keep: KeptParts,
  now: number,
): Decision | undefined {
  const settled = applyContent(state, content, keep, now)
  if (settled === undefined) return undefined
  if (state.evidence?.end !== asOf) return { state: { ...state, failures: 0, dueAt: now } }
  return mayLag ? showUntilReread(state, settled.content, now) : settled
}

/** Stores content that is not settled: it is due again when the lag is over. */
function showUntilReread(state: NoteState, { transcript, summary }: ContentParts, now: number): Decision {
  const recordSeenAt = trustedTime(state.recordSeenAt ?? now, now)
  const dueAt = state.readAfterSequence === null ? endOfLag(recordSeenAt) : state.dueAt
  const decision = { state: scheduled({ ...state, recordSeenAt, failures: 0, dueAt }, now) }
  // An absent part does not replace a stored part.
  const content = { ...(transcript == null ? {} : { transcript }), ...(summary == null ? {} : { summary }) }
  return Object.keys(content).length === 0 ? decision : { ...decision, content, announce: 'changed' }
}

export function postponeContent(state: NoteState, now: number): Decision {
  const attempts = state.attempts + 1
  return { state: scheduled({ ...state, attempts, failures: 0, dueAt: now + backoffAfter(attempts) }, now) }
}

/** Has a note read again, because its content shows that the record is outdated. */
export function rereadOutdated(state: NoteState, now: number, sequence: number): Decision {
  const { attempts } = state
  const dueAt = attempts === 0 ? now : now + backoffAfter(attempts)
  return {
    state: {
      ...state,
      readAfterSequence: state.readAfterSequence ?? sequence,
      attempts: attempts + 1,
      failures: 0,
      dueAt,
    },
  }
}

/** The content, with each outdated part replaced by `not_ready`. */
export function withoutOutdated(content: NoteWithContent): NoteWithContent {
  const { note, transcript, summary } = content
  const isOutdated = (part: ReadPart) => judgePart(note, undefined, part) === 'outdated'
  return {
    note,
    transcript: isOutdated(transcript) ? { status: 'not_ready' } : transcript,
    summary: isOutdated(summary) ? { status: 'not_ready' } : summary,
  }
}

function isUnchanged(state: NoteState, note: NoteWithContent['note']): boolean {
  return (
    state.presence === 'live' &&
    state.revision === note.revision &&
    state.transcriptStatus === (note.transcript_status ?? null) &&
    state.summaryStatus === (note.summary_status ?? null)
  )
}

function outcomeOf({ status }: ReadPart): ContentOutcome {
  return status === 'gone' || status === 'content_not_found' ? null : status
}

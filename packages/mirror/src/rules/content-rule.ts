import type { NoteWithContent } from '@notewire/client'
import type { Note } from '@notewire/protocol'
import type { HeldContent, NoteState } from '../interfaces/note-state.ts'
import type { ContentParts } from '../interfaces/note-write.ts'
import { isPatienceSpent, pauseAfter, scheduled } from './backoff.ts'
import type { Decision } from './decision.ts'
import type { KeptParts } from './keep.ts'
import { endOfLag, isPastLag, latestServiceTimeIn, trustedTime } from './time.ts'

const ABSENT: ReadonlySet<string> = new Set(['pending', 'empty', 'missing', 'failed'])

/** Whether a status itself says that there is no content, so that it changes when there is. */
export function saysAbsent(status: string | null | undefined): boolean {
  return ABSENT.has(status ?? '')
}

/**
 * What to make of a transcript and a summary that were read for a note.
 *
 * - `settled`: they belong to the note's revision.
 * - `unconfirmed`: they carry no revision, or are absent although no status says so. They count if the note has the same
 *   revision before and after they are read.
 * - `moved`: the note may have changed or gone since its record was read. The note is read again.
 * - `lagging`: they are absent although the record says that they are ready.
 */
export type ContentVerdict = 'settled' | 'unconfirmed' | 'moved' | 'lagging'

/** Judges the parts that are kept against the record that they were read for. */
export function judgeContent(content: NoteWithContent, keep: KeptParts): ContentVerdict {
  const { note } = content
  const kept = PARTS.filter((part) => keep.has(part))
  const verdicts = kept.map((part) => judgePart(note, note[`${part}_status`], content[part]))
  return WORST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? 'settled'
}

const PARTS = ['transcript', 'summary'] as const
const WORST_FIRST: readonly ContentVerdict[] = ['moved', 'lagging', 'unconfirmed']

/** A transcript or a summary as the client read it. */
type ReadPart = NoteWithContent[(typeof PARTS)[number]]

/** Whether a kept part is absent although the record says that it is ready. */
export function lacksReady(content: NoteWithContent, keep: KeptParts): boolean {
  const isReady = (part: (typeof PARTS)[number]) => content.note[`${part}_status`] === 'ready'
  return PARTS.some((part) => keep.has(part) && isReady(part) && content[part].status !== 'ready')
}

/** Whether a part is there although the record says that there is none. */
export function hasUnexpected(content: NoteWithContent): boolean {
  return PARTS.some((part) => content[part].status === 'ready' && saysAbsent(content.note[`${part}_status`]))
}

/** Only the record's status settles an absence, and only content of the record's revision settles a presence. */
function judgePart(note: Note, listed: string | null | undefined, part: ReadPart): ContentVerdict {
  const { status } = part
  const revision = revisionOf(part)
  if (status === 'gone' || status === 'content_not_found' || revision > note.revision) return 'moved'
  if (status === 'ready') return revision === note.revision ? 'settled' : 'unconfirmed'
  if (saysAbsent(listed)) return 'settled'
  return listed === 'ready' && status === 'not_ready' ? 'lagging' : 'unconfirmed'
}

function revisionOf(part: ReadPart): number {
  if (part.status !== 'ready') return -1
  return ('transcript' in part ? part.transcript.revision : part.summary.revision) ?? -1
}

/** A decision that settles content. */
interface SettledContent extends Decision {
  readonly content: ContentParts
}

/**
 * Writes settled content down. `undefined` when the note has changed since the content was read: the change has made it due, or
 * has removed it.
 */
export function applyContent(
  state: NoteState,
  { note, transcript, summary }: NoteWithContent,
  keep: KeptParts,
  now: number,
): SettledContent | undefined {
  if (!isStill(state, note) || state.settledRevision !== null) return undefined
  const settled: NoteState = {
    ...state,
    settledRevision: note.revision,
    transcriptHeld: keep.has('transcript') ? heldOf(transcript) : null,
    summaryHeld: keep.has('summary') ? heldOf(summary) : null,
    attempts: 0,
  }
  const content: ContentParts = {
    transcript: keep.has('transcript') && transcript.status === 'ready' ? transcript.transcript : null,
    summary: keep.has('summary') && summary.status === 'ready' ? summary.summary : null,
  }
  return { state: scheduled(settled, now), content, announce: 'changed' }
}

/** When content was asked for. */
export interface ContentRequest {
  /** Milliseconds since the Unix epoch of this machine's clock. */
  readonly askedAt: number
  /** The service's time then, or somewhat earlier, by its header `Date`; `null` without one. */
  readonly serviceTime: number | null
}

/**
 * Whether content that is not of the note's revision may lag behind it, because the record changed within the last minute: as this
 * machine first saw it, and as the service dates it (open point 36).
 */
export function mayContentLag(
  { recordSeenAt }: Pick<NoteState, 'recordSeenAt'>,
  { updated_at }: Note,
  { askedAt, serviceTime }: ContentRequest,
): boolean {
  if (isPastLag(trustedTime(recordSeenAt ?? askedAt, askedAt), askedAt)) return false
  const changedAt = latestServiceTimeIn(updated_at)
  return serviceTime === null || changedAt === null || !isPastLag(changedAt, serviceTime)
}

/**
 * Writes down content that was read after its record. If another read has seen the note meanwhile, the content may be older than that
 * read, and is read again.
 *
 * @param asOf  the end of the evidence of the record that the content was read for
 * @param mayLag  whether it may lag behind its note: then it is shown, and read again when the lag is over
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
  if (state.evidence?.end !== asOf) return { state: { ...state, dueAt: now } }
  return mayLag ? held(state, settled.content, now) : settled
}

/** Content that does not count as settled: it is due again when the lag is over. */
function held(state: NoteState, { transcript, summary }: ContentParts, now: number): Decision {
  const recordSeenAt = trustedTime(state.recordSeenAt ?? now, now)
  const dueAt = state.dirty === null ? endOfLag(recordSeenAt) : state.dueAt
  const decision = { state: scheduled({ ...state, recordSeenAt, dueAt }, now) }
  // A part that did not come does not replace the part that is kept.
  const content = { ...(transcript == null ? {} : { transcript }), ...(summary == null ? {} : { summary }) }
  return Object.keys(content).length === 0 ? decision : { ...decision, content, announce: 'changed' }
}

/** Adds content to a decision of the read beside which it was read; returns the decision unchanged if the content is not due. */
export function withContent(decision: Decision, content: NoteWithContent, keep: KeptParts, now: number): Decision {
  const settled = applyContent(decision.state, content, keep, now)
  if (settled === undefined || decision.content === 'erase') return decision
  return {
    state: settled.state,
    content: { ...decision.content, ...settled.content },
    announce: decision.announce ?? settled.announce,
  }
}

/** Postpones content that is not there yet; `undefined` after the last attempt, when it counts as absent. */
export function postponeContent(state: NoteState, now: number): Decision | undefined {
  if (isPatienceSpent(state.attempts)) return undefined
  const attempts = state.attempts + 1
  return { state: scheduled({ ...state, attempts, dueAt: now + pauseAfter(attempts) }, now) }
}

/** Marks a note to be read, because its content shows that the record is old; `undefined` after the last attempt. */
export function markMoved(state: NoteState, sequence: number, now: number): Decision | undefined {
  if (isPatienceSpent(state.attempts)) return undefined
  const { attempts } = state
  const dueAt = attempts === 0 ? now : now + pauseAfter(attempts)
  return { state: { ...state, dirty: state.dirty ?? sequence, attempts: attempts + 1, dueAt } }
}

/** Content without the parts that are not of the note's revision, as if they were not ready. */
export function withoutMoved(content: NoteWithContent): NoteWithContent {
  const { note, transcript, summary } = content
  const isMoved = (part: ReadPart) => judgePart(note, undefined, part) === 'moved'
  return {
    note,
    transcript: isMoved(transcript) ? { status: 'not_ready' } : transcript,
    summary: isMoved(summary) ? { status: 'not_ready' } : summary,
  }
}

function isStill(state: NoteState, note: NoteWithContent['note']): boolean {
  return (
    state.presence === 'live' &&
    state.revision === note.revision &&
    state.transcriptStatus === (note.transcript_status ?? null) &&
    state.summaryStatus === (note.summary_status ?? null)
  )
}

function heldOf({ status }: ReadPart): HeldContent {
  return status === 'gone' || status === 'content_not_found' ? null : status
}

import type { NoteWithContent } from '@notewire/client'
import type { Note } from '@notewire/protocol'
import type { ContentParts } from '../stores/store.ts'
import { saysAbsent } from './content-status.ts'
import type { Decision } from './decision.ts'
import type { KeptParts } from './keep.ts'
import type { HeldContent, NoteState } from './note-state.ts'
import { isPatienceSpent, pauseAfter } from './patience.ts'
import { scheduled } from './schedule.ts'

/**
 * What to make of a transcript and a summary that were read for a note.
 *
 * - `settled`: they belong to the note's revision.
 * - `unconfirmed`: they do not say, or are not there where no status says so, so that the note must read the same revision after
 *   them as before.
 * - `moved`: the note has changed, or is gone, since its record was read.
 * - `lagging`: the record calls ready what is not there.
 */
export type ContentVerdict = 'settled' | 'unconfirmed' | 'moved' | 'lagging'

/** Judges the parts that are kept against the record that they were read for. */
export function judgeContent({ note, transcript, summary }: NoteWithContent, keep: KeptParts): ContentVerdict {
  const parts = [
    ...(keep.has('transcript')
      ? [judgePart(note, note.transcript_status, transcript.status, revisionOf(transcript))]
      : []),
    ...(keep.has('summary') ? [judgePart(note, note.summary_status, summary.status, revisionOf(summary))] : []),
  ]
  return WORST_FIRST.find((verdict) => parts.includes(verdict)) ?? 'settled'
}

const WORST_FIRST: readonly ContentVerdict[] = ['moved', 'lagging', 'unconfirmed']

/** Only the record's own word settles an absence, and only its own revision a presence. */
function judgePart(note: Note, listed: string | null | undefined, status: string, revision: number): ContentVerdict {
  if (status === 'gone' || revision > note.revision) return 'moved'
  if (status === 'ready') return revision === note.revision ? 'settled' : 'unconfirmed'
  if (saysAbsent(listed)) return 'settled'
  return listed === 'ready' && status === 'not_ready' ? 'lagging' : 'unconfirmed'
}

function revisionOf(part: NoteWithContent['transcript'] | NoteWithContent['summary']): number {
  if (part.status !== 'ready') return -1
  return ('transcript' in part ? part.transcript.revision : part.summary.revision) ?? -1
}

/**
 * Writes settled content down. `undefined` when the note is no longer what the content was read for: then it is due, or
 * not to be seen, by what has changed it.
 */
export function applyContent(
  state: NoteState,
  { note, transcript, summary }: NoteWithContent,
  keep: KeptParts,
  now: number,
): Decision | undefined {
  if (!isStill(state, note) || state.settledRevision !== null) return undefined
  const settled: NoteState = {
    ...state,
    settledRevision: note.revision,
    transcriptHeld: keep.has('transcript') ? heldOf(transcript.status) : null,
    summaryHeld: keep.has('summary') ? heldOf(summary.status) : null,
    attempts: 0,
  }
  const content: ContentParts = {
    transcript: keep.has('transcript') && transcript.status === 'ready' ? transcript.transcript : null,
    summary: keep.has('summary') && summary.status === 'ready' ? summary.summary : null,
  }
  return { state: scheduled(settled, now), content, announce: 'changed' }
}

/**
 * The same of content that took its time: when a later read has seen the note meanwhile, it may be older than what that read
 * tells of, and is read again.
 *
 * @param asOf  the end of the evidence of the record that it was read for
 */
export function applyLateContent(
  state: NoteState,
  content: NoteWithContent,
  asOf: number | undefined,
  keep: KeptParts,
  now: number,
): Decision | undefined {
  const settled = applyContent(state, content, keep, now)
  if (settled === undefined || state.evidence?.end === asOf) return settled
  return { state: { ...state, dueAt: now } }
}

/** What a read decided, with content that was read beside it: where it is due, and else the decision as it was. */
export function withContent(decision: Decision, content: NoteWithContent, keep: KeptParts, now: number): Decision {
  const settled = applyContent(decision.state, content, keep, now)
  if (settled === undefined || decision.content === 'erase' || settled.content === 'erase') return decision
  return {
    state: settled.state,
    content: { ...decision.content, ...settled.content },
    announce: decision.announce ?? settled.announce,
  }
}

/** Leaves content that is not there yet for later; `undefined` when there is no patience left, and it counts as absent. */
export function postponeContent(state: NoteState, now: number): Decision | undefined {
  if (isPatienceSpent(state.attempts)) return undefined
  const attempts = state.attempts + 1
  return { state: scheduled({ ...state, attempts, dueAt: now + pauseAfter(attempts) }, now) }
}

/** Marks a note to be read, because its content says that the record is old; `undefined` when it says so for ever. */
export function markMoved(state: NoteState, sequence: number, now: number): Decision | undefined {
  if (isPatienceSpent(state.attempts)) return undefined
  const { attempts } = state
  const dueAt = attempts === 0 ? now : now + pauseAfter(attempts)
  return { state: { ...state, dirty: state.dirty ?? sequence, attempts: attempts + 1, dueAt } }
}

/** Content without what is not of the note's revision, as if that had not come yet. */
export function withoutMoved(content: NoteWithContent): NoteWithContent {
  const { note, transcript, summary } = content
  const isMoved = (part: typeof transcript | typeof summary) =>
    judgePart(note, undefined, part.status, revisionOf(part)) === 'moved'
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

function heldOf(status: NoteWithContent['transcript']['status'] | NoteWithContent['summary']['status']): HeldContent {
  return status === 'gone' ? null : status
}

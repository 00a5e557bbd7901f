import type { Note } from '@notewire/protocol'
import type { ContentOutcome, NoteState } from '../notes/note-state.ts'
import type { ContentParts, KeptParts } from '../notes/note-write.ts'
import { meansAbsent } from './content-rule.ts'
import { type Decision, overlaps, type ReadStamp } from './evidence.ts'

/** Compares a record with the stored one. An equal record counts as changed if `keep` has gained parts since the note was settled. */
export function compareRecord(
  state: NoteState,
  note: Note,
  stamp: ReadStamp,
  keep: KeptParts,
): 'changed' | 'same' | 'older' | 'ambiguous' {
  const revision = state.revision ?? -1
  if (note.revision > revision) return 'changed'
  const same = lacksKeptPart(state, keep) ? 'changed' : 'same'
  if (note.revision < revision) return overlaps(state, stamp) && state.contradictedSince === null ? same : 'older'
  if (isSameRecord(state, note)) return same
  // The same revision with other statuses: if the reads overlap, it is unknown which one is later.
  return overlaps(state, stamp) ? 'ambiguous' : 'changed'
}

/** Stores the record of a shown note. Its content is due. */
export function applyRecord(
  state: NoteState,
  note: Note,
  seen: NoteState,
  stamp: ReadStamp,
  keep: KeptParts,
): Decision {
  const recordSeenAt = isSameRecord(state, note) ? (state.recordSeenAt ?? stamp.at) : stamp.at
  const appears = state.presence !== 'live'
  const visibleRevision = appears ? note.revision : state.visibleRevision
  return {
    state: withContentDue({ ...withRecord(seen, note), recordSeenAt, visibleRevision }, keep, stamp),
    content: { note: keptRecord(note, keep), ...withoutUnkept(keep) },
    announce: appears ? 'appeared' : 'changed',
  }
}

/** Keeps the number of attempts to read the content, until the content is settled. */
export function keepContentAttempts({ attempts, settledRevision }: NoteState, seen: NoteState): NoteState {
  if (settledRevision === null) return { ...seen, attempts: Math.max(attempts, seen.attempts) }
  return mayHaveNewContent(seen) ? { ...seen, settledRevision: null } : seen
}

function lacksKeptPart({ settledRevision, transcriptOutcome, summaryOutcome }: NoteState, keep: KeptParts): boolean {
  const lacks =
    (keep.has('transcript') && transcriptOutcome === null) || (keep.has('summary') && summaryOutcome === null)
  return settledRevision !== null && lacks
}

function isSameRecord(state: NoteState, note: Note): boolean {
  return (
    note.revision === state.revision &&
    (note.status ?? null) === state.status &&
    (note.transcript_status ?? null) === state.transcriptStatus &&
    (note.summary_status ?? null) === state.summaryStatus &&
    (note.updated_at ?? null) === state.updatedAt
  )
}

function withRecord(state: NoteState, note: Note): NoteState {
  return {
    ...state,
    revision: note.revision,
    status: note.status ?? null,
    transcriptStatus: note.transcript_status ?? null,
    summaryStatus: note.summary_status ?? null,
    createdAt: note.created_at ?? null,
    updatedAt: note.updated_at ?? null,
  }
}

function withContentDue(state: NoteState, keep: KeptParts, { at }: ReadStamp): NoteState {
  if (!keep.has('transcript') && !keep.has('summary')) {
    return { ...state, settledRevision: state.revision, transcriptOutcome: null, summaryOutcome: null }
  }
  return { ...state, settledRevision: null, attempts: 0, dueAt: at }
}

/** The record to store: complete, or only identifiers, statuses and times. */
function keptRecord(note: Note, keep: KeptParts): Note {
  if (keep.has('note')) return note
  const { note_id, revision, status, transcript_status, summary_status, created_at, updated_at, ended_at, owner } = note
  return { note_id, revision, status, transcript_status, summary_status, created_at, updated_at, ended_at, owner }
}

/** Erases parts that are stored but no longer kept, because `keep` was changed. */
function withoutUnkept(keep: KeptParts): Pick<ContentParts, 'transcript' | 'summary'> {
  return {
    ...(keep.has('transcript') ? {} : { transcript: null }),
    ...(keep.has('summary') ? {} : { summary: null }),
  }
}

/** Whether content was absent although no status says so: it may have become ready without a change of status. */
function mayHaveNewContent({ transcriptStatus, transcriptOutcome, summaryStatus, summaryOutcome }: NoteState): boolean {
  const mayHaveArrived = (status: string | null, held: ContentOutcome) => held === 'not_ready' && !meansAbsent(status)
  return mayHaveArrived(transcriptStatus, transcriptOutcome) || mayHaveArrived(summaryStatus, summaryOutcome)
}

import type { WebhookEvent } from '@notewire/protocol'
import { type HeardEvent, hasWork, type NoteState } from '../notes/note-state.ts'
import { highestKnownRevision } from './contradiction.ts'
import { floorAfter } from './deletion-floor.ts'
import type { Decision } from './evidence.ts'
import { serviceTimeIn } from './time.ts'

export interface Hint {
  readonly noteId: string
  readonly kind: string
  readonly revision: number | null
  /** `occurred_at`, in milliseconds since the Unix epoch; `null` if absent. */
  readonly occurredAt: number | null
  readonly transcriptStatus: string | null
  readonly summaryStatus: string | null
  readonly recordingSessionId: string | null
}

type HintTime = Pick<HeardEvent, 'sequence' | 'at'>

/** Reads the hint in an event; `undefined` when it names no note. */
export function hintIn({ event_type: kind, occurred_at, data }: WebhookEvent): Hint | undefined {
  const fields = data as Readonly<Record<string, unknown>>
  const { note_id, revision, transcript_status, summary_status, recording_session_id } = fields
  if (typeof note_id !== 'string' || note_id === '') return undefined
  return {
    noteId: note_id,
    kind,
    // An event of an unknown kind may have anything in this field.
    revision: Number.isSafeInteger(revision) ? (revision as number) : null,
    occurredAt: serviceTimeIn(occurred_at),
    transcriptStatus: typeof transcript_status === 'string' ? transcript_status : null,
    summaryStatus: typeof summary_status === 'string' ? summary_status : null,
    recordingSessionId: typeof recording_session_id === 'string' ? recording_session_id : null,
  }
}

/**
 * Applies a hint. A hint may be old, so it proves nothing: it has the note read. `note.deleted`, for either reason, hides the note
 * immediately, and its revision becomes a floor: a read of a lower revision does not show the note again. If an event contains nothing
 * new about a live note that needs no read, the note is not read.
 *
 * The first event about what a listing has found already is announced: a consumer that starts from now may have left the note out.
 */
export function applyHint(known: NoteState, hint: Hint, time: HintTime): Decision {
  const decision = decide(known, hint, time)
  return isFirstAboutListed(known, hint) ? { announce: 'changed', ...decision } : decision
}

function decide(known: NoteState, hint: Hint, { sequence, at }: HintTime): Decision {
  const heard = heardEvent(known, hint, { sequence, at })
  const state = { ...known, recordingSessionId: hint.recordingSessionId ?? known.recordingSessionId }
  const readAfterSequence = Math.max(state.readAfterSequence ?? 0, sequence)
  const marked: NoteState = {
    ...state,
    heard,
    readAfterSequence,
    dueAt: at,
    attempts: 0,
    failures: 0,
    contradictedSince: null,
  }
  if (hint.kind === 'note.deleted') return hide(marked, hint, { sequence, at })
  if (state.presence === 'live' && !hasWork(state) && isAlreadyKnown(state, hint)) return { state: { ...state, heard } }
  if (staysContradicted(state, hint)) return { state: { ...state, heard, readAfterSequence } }
  return { state: { ...marked, hintedRevision: highest(state.hintedRevision, hint.revision) } }
}

function hide(marked: NoteState, hint: Hint, { sequence, at }: HintTime): Decision {
  const { presence, hiddenSequence, hiddenAt } = marked
  const isGone = presence === 'gone'
  return {
    state: {
      ...marked,
      presence: isGone ? 'gone' : 'hidden',
      hiddenSequence: Math.max(hiddenSequence ?? 0, sequence),
      hiddenAt: isGone ? null : (hiddenAt ?? at),
      floor: floorAfter(marked, hint, at),
      // The event is the reason now: nobody may accept a removal that only the event announced.
      heldByFullListing: null,
    },
    announce: presence === 'live' ? 'vanished' : undefined,
  }
}

/** Concurrent processes may store events in any order, so the highest sequence number is kept. */
function heardEvent(state: NoteState, { kind, revision }: Hint, { sequence, at }: HintTime): HeardEvent {
  return { kind, revision, sequence: Math.max(state.heard?.sequence ?? 0, sequence), at }
}

/** An event at a lower revision neither ends a contradiction nor shortens the pause before the next attempt. */
function staysContradicted(state: NoteState, { revision }: Hint): boolean {
  return state.contradictedSince !== null && revision !== null && revision < highestKnownRevision(state)
}

function isAlreadyKnown(state: NoteState, { revision, transcriptStatus, summaryStatus }: Hint): boolean {
  return (
    revision !== null &&
    revision <= (state.revision ?? -1) &&
    (transcriptStatus === null || transcriptStatus === state.transcriptStatus) &&
    (summaryStatus === null || summaryStatus === state.summaryStatus)
  )
}

/** Whether an event is the first of its revision, and the note became visible at that revision, or a higher one, and has not changed since. */
function isFirstAboutListed(
  { presence, revision, visibleRevision, settledRevision, heard }: NoteState,
  hint: Hint,
): boolean {
  // The content that is still to be read, or a higher revision, is announced when it is stored.
  if (presence !== 'live' || settledRevision === null || revision === null || revision !== visibleRevision) return false
  return hint.revision !== null && hint.revision <= revision && hint.revision > (heard?.revision ?? -1)
}

function highest(one: number | null, other: number | null): number | null {
  return (one ?? -1) > (other ?? -1) ? one : other
}

/** When the work that a hint causes is due; `undefined` if it made no note due. */
export function hintedDueAt(written: readonly NoteState[]): number | undefined {
  const times = written.flatMap(({ dueAt }) => dueAt ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}

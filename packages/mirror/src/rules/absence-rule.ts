import type { Note } from '@notewire/protocol'
import type { CompletionCertificate } from '../integrations/progress.ts'
import { ERASE_WITHIN_MS, isHiddenSince, type NoteState } from '../notes/note-state.ts'
import { areAttemptsUsedUp, backoffAfter } from './backoff.ts'
import { clearDirty } from './contradiction.ts'
import { type Decision, type ReadStamp, withEvidence } from './evidence.ts'
import { endOfLag, isPastLag, trustedTime } from './time.ts'

/** Applies a read that did not find a note, or found its tombstone. */
export function applyAbsence(state: NoteState, tombstone: Note | undefined, stamp: ReadStamp): Decision {
  const absent = withEvidence(state, 'absent', stamp)
  const isMissing = tombstone === undefined
  if (isMissing && mayNotBeReadableYet(state)) return { state: retryMissing(absent, stamp) }
  const settled = { ...clearDirty(absent, Number.POSITIVE_INFINITY, stamp), settledRevision: null }
  const held = isMissing ? holdBack(state, settled) : undefined
  if (held !== undefined) return held
  const revision = isMissing ? state.revision : Math.max(tombstone.revision, state.revision ?? 0)
  const hiddenSequence = hiddenSequenceAfter(state.hiddenSequence, stamp)
  const gone: NoteState = { ...settled, ...ERASED, revision, hiddenSequence, hiddenAt: null }
  return {
    state: isMissing && mayLagBehindEvent(state, stamp) ? readAgainAfterLag(gone, state, stamp) : gone,
    content: 'erase',
    announce: mayHaveBeenShown(state) ? 'vanished' : undefined,
  }
}

/**
 * Makes a shown note that a full listing did not list due. If the full listing holds removals back, so does the read that does not find the note. If
 * an earlier one has done so, and the note was not read since, the note stays held by that one. Returns `undefined` if the note was read since the
 * full listing began.
 */
export function markMissing(
  state: NoteState,
  { startSequence }: Pick<CompletionCertificate, 'startSequence'>,
  stamp: { readonly holdingFullListing: string | undefined; readonly sequence: number; readonly at: number },
): Decision | undefined {
  if (state.presence !== 'live' || (state.evidence?.start ?? 0) >= startSequence) return undefined
  const heldByFullListing = state.heldByFullListing ?? stamp.holdingFullListing ?? null
  return {
    state: {
      ...state,
      heldByFullListing,
      readAfterSequence: Math.max(state.readAfterSequence ?? 0, stamp.sequence),
      dueAt: stamp.at,
    },
  }
}

/** Removes a note whose removal a full listing holds back; `undefined` if the full listing no longer holds it back. */
export function acceptRemoval(state: NoteState, fullListingId: string): Decision | undefined {
  if (state.presence !== 'hidden' || state.heldByFullListing !== fullListingId) return undefined
  return { state: { ...state, ...ERASED, settledRevision: null }, content: 'erase', announce: 'vanished' }
}

/** Erases the content of a note that an event hid an hour ago, if no read has confirmed or refuted the deletion since. */
export function eraseUnconfirmed(state: NoteState, now: number): Decision | undefined {
  const isOverdue = state.presence === 'hidden' && isHiddenSince(state.hiddenAt, now - ERASE_WITHIN_MS)
  if (!isOverdue) return undefined
  return { state: { ...state, ...WITHOUT_CONTENT, settledRevision: null, hiddenAt: null }, content: 'erase' }
}

/**
 * Hides a missing note and keeps its content, until the removal is accepted, or an event or a tombstone proves it. Returns `undefined` if no
 * full listing holds the removal back.
 */
function holdBack(state: NoteState, settled: NoteState): Decision | undefined {
  const { heldByFullListing } = state
  if (state.presence === 'live') {
    return heldByFullListing === null
      ? undefined
      : { state: { ...settled, presence: 'hidden', heldByFullListing }, announce: 'vanished' }
  }
  return heldByFullListing !== null && state.hiddenSequence === null ? { state: settled } : undefined
}

const WITHOUT_CONTENT = { transcriptOutcome: null, summaryOutcome: null } as const

const ERASED = { presence: 'gone', heldByFullListing: null, ...WITHOUT_CONTENT } as const

function mayHaveBeenShown({ presence, revision }: NoteState): boolean {
  return presence !== 'gone' && revision !== null
}

/** Whether a note that an event announced and that was never read may be too new for the service to return it. */
function mayNotBeReadableYet(state: NoteState): boolean {
  const { revision, hintedRevision, readAfterSequence, attempts } = state
  const isAnnounced = revision === null && hintedRevision !== null && readAfterSequence !== null
  return isAnnounced && !isLatestEventDeletion(state, hintedRevision) && !areAttemptsUsedUp(attempts)
}

/** Whether the latest event is the deletion of the highest revision that an event named. */
function isLatestEventDeletion({ heard, floor }: NoteState, hintedRevision: number): boolean {
  return heard?.kind === 'note.deleted' && (floor?.revision ?? -1) >= hintedRevision
}

function retryMissing(state: NoteState, { at }: ReadStamp): NoteState {
  const attempts = state.attempts + 1
  return { ...state, attempts, dueAt: at + backoffAfter(attempts) }
}

/** Whether the read may not have found the note because it lags: an event named a revision that no read has returned. */
function mayLagBehindEvent({ heard, revision, hintedRevision }: NoteState, { requestedAt }: ReadStamp): boolean {
  if (heard === null || heard.kind === 'note.deleted') return false
  const isAnnounced = revision !== null && hintedRevision !== null && hintedRevision > revision
  return isAnnounced && !isPastLag(trustedTime(heard.at, requestedAt), requestedAt)
}

/** Schedules another read of a gone note for the end of the lag. */
function readAgainAfterLag(gone: NoteState, { heard, hintedRevision }: NoteState, { end, at }: ReadStamp): NoteState {
  const dueAt = endOfLag(trustedTime(heard?.at ?? at, at))
  return { ...gone, readAfterSequence: gone.readAfterSequence ?? end, hintedRevision, dueAt }
}

function hiddenSequenceAfter(hiddenSequence: number | null, { start }: ReadStamp): number | null {
  return hiddenSequence !== null && start < hiddenSequence ? hiddenSequence : null
}

import { isTombstone, type Note } from '@notewire/protocol'
import type { NoteState } from '../notes/note-state.ts'
import { applyAbsence } from './absence-rule.ts'
import { scheduled } from './backoff.ts'
import {
  backoffAfterRefusal,
  clearDirty,
  isAcceptedAfterRetries,
  markContradicted,
  recordContradiction,
  withoutDirty,
} from './contradiction.ts'
import { judgeReappearance, type ReappearanceVerdict, retryAfterLag, withTrustedFloor } from './deletion-floor.ts'
import {
  beganBeforeFullListing,
  beganTooEarly,
  type Decision,
  overlaps,
  type ReadPolicy,
  type ReadStamp,
  withEvidence,
} from './evidence.ts'
import { applyRecord, compareRecord, keepContentAttempts } from './record-rule.ts'

/**
 * Applies the record of a note that was listed or read, or its absence: a tombstone, or `undefined` if the note was not found.
 *
 * Presence is decided by the order of reads, not by the revision: a read overrides every read that ended before it started. If two reads
 * overlap and contradict each other, the note is read again. A revision lower than one that was read or announced proves nothing until
 * the service has returned it for some time (open points 35 and 36).
 */
export function applyRead(state: NoteState, answer: Note | undefined, stamp: ReadStamp, policy: ReadPolicy): Decision {
  const decision = decide(withTrustedFloor(state, stamp.at), answer, stamp, policy)
  const failures = stamp.source === 'read' ? 0 : state.failures
  return { ...decision, state: scheduled({ ...decision.state, failures }, stamp.at) }
}

function decide(state: NoteState, answer: Note | undefined, stamp: ReadStamp, policy: ReadPolicy): Decision {
  const isAbsent = answer === undefined || isTombstone(answer)
  const says = isAbsent ? 'absent' : 'present'
  const isContested = overlaps(state, stamp) && state.evidence?.says !== says
  // The note may have been restored after this read. Only a tombstone is final.
  const isOutdated = answer === undefined && mayHaveBeenRestored(state, stamp)
  if (isContested || isOutdated) {
    return { state: readAgain(state, stamp) }
  }
  if (isAbsent) return applyAbsence(state, answer, stamp)
  // The read may have been answered before the event that hid the note was sent.
  if (state.hiddenSequence !== null && stamp.start < state.hiddenSequence) {
    return { state: withEvidence(state, 'present', stamp) }
  }
  return state.presence === 'live'
    ? applyReadOfShownNote(state, answer, stamp, policy)
    : applyReadOfUnshownNote(state, answer, stamp, policy)
}

/** Applies a read that the user accepts, whatever earlier reads and events showed (open point 35). What is left to read is due now. */
export function applyAcceptedRead(
  state: NoteState,
  answer: Note | undefined,
  stamp: ReadStamp,
  policy: ReadPolicy,
): Decision {
  const { heard, revision } = state
  const unopposed = { ...state, ...UNOPPOSED, revision: answer === undefined ? revision : null }
  const decision = applyRead(unopposed, answer, stamp, policy)
  return { ...decision, state: { ...decision.state, heard } }
}

/** Nothing that a read could contradict. */
const UNOPPOSED = {
  ...{ evidence: null, heard: null, hintedRevision: null, readAfterSequence: null, contradictedSince: null },
  ...{ hiddenSequence: null, hiddenAt: null, floor: null, heldByFullListing: null },
} as const

/**
 * Applies a listed record that cannot be used. It proves only that the note exists, and the note must be read.
 *
 * @returns `undefined` if there is nothing to write
 */
export function applyUnusable(state: NoteState, stamp: ReadStamp): Decision | undefined {
  const isLive = state.presence === 'live'
  if (state.readAfterSequence !== null && !isLive) return undefined
  const seen = isLive ? withEvidence(state, 'present', stamp) : state
  // A note that must be read already keeps its due time. Otherwise listings that repeat would postpone the read.
  return { state: state.readAfterSequence === null ? { ...seen, readAfterSequence: stamp.end, dueAt: stamp.at } : seen }
}

function applyReadOfShownNote(state: NoteState, note: Note, stamp: ReadStamp, { keep }: ReadPolicy): Decision {
  const seen = { ...withEvidence(state, 'present', stamp), heldByFullListing: null }
  switch (compareRecord(state, note, stamp, keep)) {
    case 'same':
      return { state: keepContentAttempts(state, clearDirty(seen, note.revision, stamp)) }
    case 'older':
      // Otherwise a read that overlaps this one, and shows a lower revision too, would count as an older read.
      if (beganTooEarly(state, stamp)) return { state: markContradicted(seen, stamp) }
      if (!isAcceptedAfterRetries(state, stamp)) return { state: recordContradiction(seen, stamp) }
      return applyRecord(state, note, withoutDirty(seen), stamp, keep)
    case 'ambiguous':
      return { state: readAgain(clearDirty(seen, note.revision, stamp), stamp) }
    case 'changed':
      return applyRecord(state, note, clearDirty(seen, note.revision, stamp), stamp, keep)
  }
}

const VISIBLE = {
  presence: 'live',
  hiddenSequence: null,
  hiddenAt: null,
  floor: null,
  heldByFullListing: null,
} as const

function applyReadOfUnshownNote(state: NoteState, note: Note, stamp: ReadStamp, { keep }: ReadPolicy): Decision {
  // An older read must not show a note that an event has hidden since.
  if (overlaps(state, stamp) && note.revision < (state.revision ?? 0)) {
    return { state: readAgain(withEvidence(state, 'present', stamp), stamp) }
  }
  if (beganBeforeFullListing(stamp)) return { state: readAgain(state, stamp) }
  const verdict = judgeReappearance(state, note, stamp)
  if (verdict === 'show') {
    const seen = clearDirty(withEvidence(state, 'present', stamp), Number.POSITIVE_INFINITY, stamp)
    // The pause before another read may be that of a contradiction, which has ended.
    return applyRecord(state, note, { ...seen, ...VISIBLE, dueAt: stamp.at }, stamp, keep)
  }
  const unshown = beganTooEarly(state, stamp) ? state : retryUnshown(verdict, state, stamp)
  // An older read that did not find the note must not clear `readAfterSequence`: the note may be visible since.
  return { state: { ...unshown, readAfterSequence: Math.max(unshown.readAfterSequence ?? 0, stamp.end) } }
}

function retryUnshown(verdict: Exclude<ReappearanceVerdict, 'show'>, state: NoteState, stamp: ReadStamp): NoteState {
  switch (verdict) {
    case 'may_lag':
      return retryAfterLag(state, stamp)
    case 'contradicted':
      return recordContradiction(state, stamp)
    case 'refused':
      return recordContradiction(state, stamp, backoffAfterRefusal)
  }
}

/** Whether an event about a live note arrived after the read that did not find the note had begun. */
function mayHaveBeenRestored({ presence, heard }: NoteState, { start }: ReadStamp): boolean {
  return presence === 'live' && heard !== null && start < heard.sequence
}

/** Has a note read again now, because reads contradict each other. */
function readAgain(state: NoteState, { end, at }: ReadStamp): NoteState {
  return { ...state, readAfterSequence: Math.max(state.readAfterSequence ?? 0, end), dueAt: at }
}

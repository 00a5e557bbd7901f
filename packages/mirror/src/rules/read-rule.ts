import { isTombstone, type Note } from '@notewire/protocol'
import type { Evidence, HeldContent, NoteState } from '../interfaces/note-state.ts'
import { isPatienceSpent, pauseAfter, scheduled } from './backoff.ts'
import { saysAbsent } from './content-rule.ts'
import { contradict, highestKnown, isAcceptedInTheEnd, pauseAfterRefusal } from './contradiction.ts'
import type { Decision, ReadStamp } from './decision.ts'
import { judgeReturn, waitOutLag, withTrustedFloor } from './deletion-floor.ts'
import { type KeptParts, keptRecord, withoutUnkept } from './keep.ts'
import { endOfLag, isPastLag, trustedTime } from './time.ts'

/** How a mirror applies what it reads. */
export interface ReadPolicy {
  readonly keep: KeptParts
  /** The scan that holds removals back, because it found too many notes missing. */
  readonly holdingScan?: string | undefined
  /** Whether the answer is to be believed, whatever is known: the user called `acceptReads`. */
  readonly isAccepted?: boolean | undefined
}

/**
 * Applies a note as it was listed or read, or its absence (a tombstone, or `undefined` for a note that is not there).
 *
 * Presence follows the order of evidence and not the revision: a read wins over another that had ended before it started.
 * If two reads overlap and contradict each other, the note is read once more. A revision below one that was read or announced
 * proves nothing until the service has shown it for some time (open points 35 and 36).
 */
export function applyRead(state: NoteState, answer: Note | undefined, stamp: ReadStamp, policy: ReadPolicy): Decision {
  const decision = judge(withTrustedFloor(state, stamp.at), answer, stamp, policy)
  return { ...decision, state: scheduled(decision.state, stamp.at) }
}

function judge(state: NoteState, answer: Note | undefined, stamp: ReadStamp, policy: ReadPolicy): Decision {
  const isAbsent = answer === undefined || isTombstone(answer)
  const says = isAbsent ? 'absent' : 'present'
  const isContested = overlaps(state, stamp) && state.evidence?.says !== says
  // The note may have come back since. Only a tombstone is final.
  const isOutdated = answer === undefined && mayBeBack(state, stamp)
  if (policy.isAccepted !== true && (isContested || isOutdated))
    return { state: readAgain(state, answer, stamp, policy) }
  if (isAbsent) return applyAbsence(state, answer, stamp, policy)
  // The read may have been answered before the event that hid the note was sent.
  if (state.hiddenBy !== null && stamp.start < state.hiddenBy) {
    return { state: withEvidence(state, 'present', stamp) }
  }
  return state.presence === 'live'
    ? applySight(state, answer, stamp, policy)
    : applyReturn(state, answer, stamp, policy)
}

/** A note that is shown was read. */
function applySight(state: NoteState, note: Note, stamp: ReadStamp, policy: ReadPolicy): Decision {
  const seen = { ...withEvidence(state, 'present', stamp), heldByScan: null }
  switch (judgeSight(state, note, stamp, policy.keep)) {
    case 'same':
      return { state: sameAgain(state, afterRead(seen, acceptedRevision(note, policy), stamp)) }
    case 'older':
      if (isBeforeMark(state, stamp)) return { state: seen }
      if (policy.isAccepted !== true && !isAcceptedInTheEnd(state, stamp)) return { state: contradict(seen, stamp) }
      return applyRecord(state, note, cleared(seen), stamp, policy)
    case 'unclear':
      return { state: readAgain(afterRead(seen, note.revision, stamp), note, stamp, policy) }
    case 'news':
      return applyRecord(state, note, afterRead(seen, acceptedRevision(note, policy), stamp), stamp, policy)
  }
}

/** A note that is not shown was found. */
function applyReturn(state: NoteState, note: Note, stamp: ReadStamp, policy: ReadPolicy): Decision {
  // An older read must not show a note again that an event has hidden since.
  if (overlaps(state, stamp) && note.revision < (state.revision ?? 0)) {
    return { state: readAgain(withEvidence(state, 'present', stamp), note, stamp, policy) }
  }
  const verdict = policy.isAccepted === true ? 'shown' : judgeReturn(state, note, stamp)
  if (verdict !== 'shown' && isBeforeMark(state, stamp)) return { state }
  switch (verdict) {
    case 'early':
      return { state: waitOutLag(state, stamp) }
    case 'contradicted':
      return { state: contradict(state, stamp) }
    case 'refused':
      return { state: contradict(state, stamp, pauseAfterRefusal) }
    case 'shown': {
      const seen = afterRead(withEvidence(state, 'present', stamp), Number.POSITIVE_INFINITY, stamp)
      return applyRecord(state, note, { ...seen, ...VISIBLE }, stamp, policy)
    }
  }
}

function applyRecord(
  state: NoteState,
  note: Note,
  seen: NoteState,
  stamp: ReadStamp,
  { keep }: Pick<ReadPolicy, 'keep'>,
): Decision {
  const recordSeenAt = isSameRecord(state, note) ? (state.recordSeenAt ?? stamp.at) : stamp.at
  return {
    state: withContentDue({ ...withRecord(seen, note), recordSeenAt }, keep, stamp),
    content: { note: keptRecord(note, keep), ...withoutUnkept(keep) },
    announce: state.presence === 'live' ? 'changed' : 'appeared',
  }
}

function applyAbsence(
  state: NoteState,
  tombstone: Note | undefined,
  stamp: ReadStamp,
  { holdingScan, isAccepted = false }: ReadPolicy,
): Decision {
  const absent = withEvidence(state, 'absent', stamp)
  const isMissing = tombstone === undefined
  if (isMissing && !isAccepted && mayCome(state)) return { state: persist(absent, stamp) }
  const settled = { ...afterRead(absent, Number.POSITIVE_INFINITY, stamp), settledRevision: null }
  if (isMissing && !isAccepted) {
    const held = holdBack(state, settled, holdingScan)
    if (held !== undefined) return held
  }
  const revision = isMissing ? state.revision : Math.max(tombstone.revision, state.revision ?? 0)
  const hiddenBy = clearedBy(state.hiddenBy, stamp)
  const gone: NoteState = { ...settled, ...ERASED, revision, hiddenBy, hiddenAt: null }
  return {
    state: isMissing && !isAccepted && mayLagBehindEvent(state, stamp) ? readOnceMore(gone, state, stamp) : gone,
    content: 'erase',
    announce: mayHaveBeenShown(state) ? 'vanished' : undefined,
  }
}

/** Keeps a missing note until its removal is accepted, or an event or tombstone proves it; `undefined` when no scan holds it back. */
function holdBack(state: NoteState, settled: NoteState, holdingScan: string | undefined): Decision | undefined {
  const heldByScan = holdingScan ?? state.heldByScan
  if (state.presence === 'live') {
    return heldByScan === null
      ? undefined
      : { state: { ...settled, presence: 'hidden', heldByScan }, announce: 'vanished' }
  }
  return state.heldByScan !== null && state.hiddenBy === null ? { state: settled } : undefined
}

/** Has the next read hold back a note that is shown, if it does not find it: this scan missed the note, and could not confirm it. */
export function heldIfMissing(state: NoteState, holdingScan: string | undefined): NoteState {
  return state.presence === 'live' && holdingScan !== undefined ? { ...state, heldByScan: holdingScan } : state
}

function mayHaveBeenShown({ presence, revision }: NoteState): boolean {
  return presence !== 'gone' && revision !== null
}

const VISIBLE = { presence: 'live', hiddenBy: null, hiddenAt: null, floor: null, heldByScan: null } as const

const ERASED = { presence: 'gone', heldByScan: null, transcriptHeld: null, summaryHeld: null } as const

function overlaps({ evidence }: NoteState, { start }: ReadStamp): boolean {
  return evidence !== null && start < evidence.end
}

/** Whether a note that an event announced and that was never read may be too new to be found. */
function mayCome(state: NoteState): boolean {
  const { revision, hintedRevision, dirty, attempts } = state
  const isAwaited = revision === null && hintedRevision !== null && dirty !== null
  return isAwaited && !isLastSaidGone(state, hintedRevision) && !isPatienceSpent(attempts)
}

/** Whether the last event announced the deletion at the highest revision that an event named. */
function isLastSaidGone({ heard, floor }: NoteState, hintedRevision: number): boolean {
  return heard?.kind === 'note.deleted' && (floor?.revision ?? -1) >= hintedRevision
}

/** Whether an event about a live note arrived after the read began that did not find it. */
function mayBeBack({ presence, heard }: NoteState, { start }: ReadStamp): boolean {
  return presence === 'live' && heard !== null && start < heard.sequence
}

/** Of two reads that overlap and agree, the one that started later is kept. */
function withEvidence(state: NoteState, says: Evidence['says'], stamp: ReadStamp): NoteState {
  const { evidence } = state
  if (evidence !== null && evidence.says === says && evidence.start > stamp.start) return state
  const { start, end, source, at } = stamp
  return { ...state, evidence: { says, start, end, source, at } }
}

/** Whether the note was marked after the read had begun, so that the read settles nothing. */
function isBeforeMark({ dirty }: NoteState, { start }: ReadStamp): boolean {
  return dirty !== null && start < dirty
}

/** Clears the mark if the read began after it, unless the answer lags behind an event. */
function afterRead(before: NoteState, revision: number, stamp: ReadStamp): NoteState {
  const state = revision < highestKnown(before) ? before : { ...before, contradictedSince: null }
  if (state.dirty === null || isBeforeMark(state, stamp)) return state
  const lags = (state.hintedRevision ?? 0) > revision
  return lags && !isAcceptedInTheEnd(state, stamp) ? contradict(state, stamp) : cleared(state)
}

function cleared(state: NoteState): NoteState {
  return { ...state, dirty: null, hintedRevision: null, attempts: 0, contradictedSince: null }
}

/** The revision that an answer counts as: an accepted answer counts as the highest. */
function acceptedRevision({ revision }: Note, { isAccepted }: ReadPolicy): number {
  return isAccepted === true ? Number.POSITIVE_INFINITY : revision
}

/** Marks a note to be read once more, because reads contradict each other. */
function readAgain(
  before: NoteState,
  answer: Note | undefined,
  { end, at }: ReadStamp,
  { holdingScan }: ReadPolicy,
): NoteState {
  const state = answer === undefined ? heldIfMissing(before, holdingScan) : before
  return { ...state, dirty: Math.max(state.dirty ?? 0, end), dueAt: at }
}

/** Postpones a note that is not found yet. */
function persist(state: NoteState, { end, at, source }: ReadStamp): NoteState {
  const attempts = source === 'read' ? state.attempts + 1 : state.attempts
  return { ...state, dirty: state.dirty ?? end, attempts, dueAt: at + pauseAfter(attempts) }
}

/** Whether a note was perhaps not found because the read lags: an event named a revision that no read has shown. */
function mayLagBehindEvent({ heard, revision, hintedRevision }: NoteState, { begunAt }: ReadStamp): boolean {
  if (heard === null || heard.kind === 'note.deleted') return false
  const isAnnounced = revision !== null && hintedRevision !== null && hintedRevision > revision
  return isAnnounced && !isPastLag(trustedTime(heard.at, begunAt), begunAt)
}

/** Has a note that is gone read again when the lag is over. */
function readOnceMore(gone: NoteState, { heard, hintedRevision }: NoteState, { end, at }: ReadStamp): NoteState {
  const dueAt = endOfLag(trustedTime(heard?.at ?? at, at))
  return { ...gone, dirty: gone.dirty ?? end, hintedRevision, dueAt }
}

/** The same record counts as news if the mirror keeps more parts than when the note was settled. */
function judgeSight(state: NoteState, note: Note, stamp: ReadStamp, keep: KeptParts): ReturnType<typeof judgeNews> {
  const news = judgeNews(state, note, stamp)
  const lacksKept =
    state.settledRevision !== null &&
    ((keep.has('transcript') && state.transcriptHeld === null) || (keep.has('summary') && state.summaryHeld === null))
  return news === 'same' && lacksKept ? 'news' : news
}

function judgeNews(state: NoteState, note: Note, stamp: ReadStamp): 'news' | 'same' | 'older' | 'unclear' {
  const revision = state.revision ?? -1
  if (note.revision > revision) return 'news'
  if (note.revision < revision) return overlaps(state, stamp) && state.contradictedSince === null ? 'same' : 'older'
  if (isSameRecord(state, note)) return 'same'
  // The revision does not tell which of two reads that overlap is the later one.
  return overlaps(state, stamp) ? 'unclear' : 'news'
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

function withContentDue(state: NoteState, keep: KeptParts, { at, source }: ReadStamp): NoteState {
  if (!keep.has('transcript') && !keep.has('summary')) {
    return { ...state, settledRevision: state.revision, transcriptHeld: null, summaryHeld: null }
  }
  // The worker that has read the note reads its content next, and holds the note until then.
  return { ...state, settledRevision: null, attempts: 0, dueAt: source === 'read' ? state.dueAt : at }
}

/** Attempts at the content are counted on until it is settled. */
function sameAgain({ attempts, settledRevision }: NoteState, seen: NoteState): NoteState {
  if (settledRevision === null) return { ...seen, attempts: Math.max(attempts, seen.attempts) }
  return isOpen(seen) ? { ...seen, settledRevision: null } : seen
}

/** Whether content was not there, although its status does not say so: it may have become ready without a change of status. */
function isOpen({ transcriptStatus, transcriptHeld, summaryStatus, summaryHeld }: NoteState): boolean {
  const mayHaveCome = (status: string | null, held: HeldContent) => held === 'not_ready' && !saysAbsent(status)
  return mayHaveCome(transcriptStatus, transcriptHeld) || mayHaveCome(summaryStatus, summaryHeld)
}

function clearedBy(hiddenBy: number | null, { start }: ReadStamp): number | null {
  return hiddenBy !== null && start < hiddenBy ? hiddenBy : null
}

import { isTombstone, type Note } from '@notewire/protocol'
import type { Evidence, HeldContent, NoteState } from '../interfaces/note-state.ts'
import { areAttemptsUsedUp, backoffAfter, scheduled } from './backoff.ts'
import { meansAbsent } from './content-rule.ts'
import {
  backoffAfterRefusal,
  highestKnownRevision,
  isAcceptedAfterRetries,
  recordContradiction,
} from './contradiction.ts'
import type { Decision, ReadStamp } from './decision.ts'
import { judgeReappearance, type ReappearanceVerdict, retryAfterLag, withTrustedFloor } from './deletion-floor.ts'
import { type KeptParts, keptRecord, withoutUnkept } from './keep.ts'
import { endOfLag, isPastLag, trustedTime } from './time.ts'

/** How to apply a read. */
export interface ReadPolicy {
  readonly keep: KeptParts
  /** The scan that holds removals back, because it missed too many notes. */
  readonly holdingScan?: string | undefined
  /** Whether to accept the answer even if it contradicts earlier reads and events: the user called `acceptReads`. */
  readonly isAccepted?: boolean | undefined
}

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
  if (policy.isAccepted !== true && (isContested || isOutdated))
    return { state: readAgain(state, answer, stamp, policy) }
  if (isAbsent) return applyAbsence(state, answer, stamp, policy)
  // The read may have been answered before the event that hid the note was sent.
  if (state.hiddenBy !== null && stamp.start < state.hiddenBy) {
    return { state: withEvidence(state, 'present', stamp) }
  }
  return state.presence === 'live'
    ? applyReadOfShownNote(state, answer, stamp, policy)
    : applyReadOfUnshownNote(state, answer, stamp, policy)
}

/**
 * Applies a listed record that cannot be used. It proves only that the note exists, and the note must be read.
 *
 * @returns `undefined` if there is nothing to write
 */
export function applyUnusable(state: NoteState, stamp: ReadStamp): Decision | undefined {
  const isLive = state.presence === 'live'
  if (state.dirty !== null && !isLive) return undefined
  const seen = isLive ? withEvidence(state, 'present', stamp) : state
  // A note that is dirty already keeps its due time. Otherwise listings that repeat would postpone the read.
  return { state: state.dirty === null ? { ...seen, dirty: stamp.end, dueAt: stamp.at } : seen }
}

/** Applies the record of a note that is shown. */
function applyReadOfShownNote(state: NoteState, note: Note, stamp: ReadStamp, policy: ReadPolicy): Decision {
  const seen = { ...withEvidence(state, 'present', stamp), heldByScan: null }
  switch (compareKeptRecord(state, note, stamp, policy.keep)) {
    case 'same':
      return { state: keepContentAttempts(state, clearDirty(seen, acceptedRevision(note, policy), stamp)) }
    case 'older':
      if (beganBeforeDirty(state, stamp)) return { state: seen }
      if (policy.isAccepted !== true && !isAcceptedAfterRetries(state, stamp))
        return { state: recordContradiction(seen, stamp) }
      return applyRecord(state, note, withoutDirty(seen), stamp, policy)
    case 'ambiguous':
      return { state: readAgain(clearDirty(seen, note.revision, stamp), note, stamp, policy) }
    case 'changed':
      return applyRecord(state, note, clearDirty(seen, acceptedRevision(note, policy), stamp), stamp, policy)
  }
}

/** Applies the record of a note that is not shown. */
function applyReadOfUnshownNote(state: NoteState, note: Note, stamp: ReadStamp, policy: ReadPolicy): Decision {
  // An older read must not show a note that an event has hidden since.
  if (overlaps(state, stamp) && note.revision < (state.revision ?? 0)) {
    return { state: readAgain(withEvidence(state, 'present', stamp), note, stamp, policy) }
  }
  if (policy.isAccepted !== true && beganBeforeScan(stamp)) return { state: readAgain(state, note, stamp, policy) }
  const verdict = policy.isAccepted === true ? 'show' : judgeReappearance(state, note, stamp)
  if (verdict === 'show') {
    const seen = clearDirty(withEvidence(state, 'present', stamp), Number.POSITIVE_INFINITY, stamp)
    // The pause before another read may be that of a contradiction, which has ended.
    const dueAt = seen.dirty === null ? seen.dueAt : stamp.at
    return applyRecord(state, note, { ...seen, ...VISIBLE, dueAt }, stamp, policy)
  }
  const unshown = beganBeforeDirty(state, stamp) ? state : retryUnshown(verdict, state, stamp)
  // An older read that did not find the note must not clear `dirty`: the note may be visible since.
  return { state: { ...unshown, dirty: Math.max(unshown.dirty ?? 0, stamp.end) } }
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

/** Whether a scan began after the read. If it did not list the note, the read must not show the note. */
function beganBeforeScan({ start, scanStartedAt }: ReadStamp): boolean {
  return scanStartedAt !== undefined && start < scanStartedAt
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
  if (isMissing && !isAccepted && mayNotBeReadableYet(state)) return { state: retryMissing(absent, stamp) }
  const settled = { ...clearDirty(absent, Number.POSITIVE_INFINITY, stamp), settledRevision: null }
  if (isMissing && !isAccepted) {
    const held = holdBack(state, settled, holdingScan)
    if (held !== undefined) return held
  }
  const revision = isMissing ? state.revision : Math.max(tombstone.revision, state.revision ?? 0)
  const hiddenBy = hiddenByAfter(state.hiddenBy, stamp)
  const gone: NoteState = { ...settled, ...ERASED, revision, hiddenBy, hiddenAt: null }
  return {
    state: isMissing && !isAccepted && mayLagBehindEvent(state, stamp) ? readAgainAfterLag(gone, state, stamp) : gone,
    content: 'erase',
    announce: mayHaveBeenShown(state) ? 'vanished' : undefined,
  }
}

/**
 * Hides a missing note and keeps its content, until the removal is accepted, or an event or a tombstone proves it. Returns `undefined` if no
 * scan holds the removal back.
 */
function holdBack(state: NoteState, settled: NoteState, holdingScan: string | undefined): Decision | undefined {
  const heldByScan = holdingScan ?? state.heldByScan
  if (state.presence === 'live') {
    return heldByScan === null
      ? undefined
      : { state: { ...settled, presence: 'hidden', heldByScan }, announce: 'vanished' }
  }
  return state.heldByScan !== null && state.hiddenBy === null ? { state: settled } : undefined
}

/** Makes the next read hold the removal of a shown note back if it does not find the note: this scan missed it and could not confirm that. */
export function holdIfMissing(state: NoteState, holdingScan: string | undefined): NoteState {
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

/** Whether a note that an event announced and that was never read may be too new for the service to return it. */
function mayNotBeReadableYet(state: NoteState): boolean {
  const { revision, hintedRevision, dirty, attempts } = state
  const isAnnounced = revision === null && hintedRevision !== null && dirty !== null
  return isAnnounced && !isLatestEventDeletion(state, hintedRevision) && !areAttemptsUsedUp(attempts)
}

/** Whether the latest event is the deletion of the highest revision that an event named. */
function isLatestEventDeletion({ heard, floor }: NoteState, hintedRevision: number): boolean {
  return heard?.kind === 'note.deleted' && (floor?.revision ?? -1) >= hintedRevision
}

/** Whether an event about a live note arrived after the read that did not find the note had begun. */
function mayHaveBeenRestored({ presence, heard }: NoteState, { start }: ReadStamp): boolean {
  return presence === 'live' && heard !== null && start < heard.sequence
}

/** Records a read as evidence. Of two reads with the same result, the one that started later is kept. */
function withEvidence(state: NoteState, says: Evidence['says'], stamp: ReadStamp): NoteState {
  const { evidence } = state
  if (evidence !== null && evidence.says === says && evidence.start > stamp.start) return state
  const { start, end, source, at } = stamp
  return { ...state, evidence: { says, start, end, source, at } }
}

/** Whether the note became dirty after the read had begun: such a read does not clear `dirty`. */
function beganBeforeDirty({ dirty }: NoteState, { start }: ReadStamp): boolean {
  return dirty !== null && start < dirty
}

/** Clears `dirty` if the read began after it was set, unless the answer lags behind an event. */
function clearDirty(before: NoteState, revision: number, stamp: ReadStamp): NoteState {
  const state = revision < highestKnownRevision(before) ? before : { ...before, contradictedSince: null }
  if (state.dirty === null || beganBeforeDirty(state, stamp)) return state
  const lags = (state.hintedRevision ?? 0) > revision
  return lags && !isAcceptedAfterRetries(state, stamp) ? recordContradiction(state, stamp) : withoutDirty(state)
}

function withoutDirty(state: NoteState): NoteState {
  return { ...state, dirty: null, hintedRevision: null, attempts: 0, contradictedSince: null }
}

/** The revision to compare an answer by. An answer that the user accepted counts as the highest. */
function acceptedRevision({ revision }: Note, { isAccepted }: ReadPolicy): number {
  return isAccepted === true ? Number.POSITIVE_INFINITY : revision
}

/** Makes a note dirty and due now, because reads contradict each other. */
function readAgain(
  before: NoteState,
  answer: Note | undefined,
  { end, at }: ReadStamp,
  { holdingScan }: ReadPolicy,
): NoteState {
  const state = answer === undefined ? holdIfMissing(before, holdingScan) : before
  return { ...state, dirty: Math.max(state.dirty ?? 0, end), dueAt: at }
}

/** Postpones a note that the service does not return yet. */
function retryMissing(state: NoteState, { end, at, source }: ReadStamp): NoteState {
  const attempts = source === 'read' ? state.attempts + 1 : state.attempts
  return { ...state, dirty: state.dirty ?? end, attempts, dueAt: at + backoffAfter(attempts) }
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
  return { ...gone, dirty: gone.dirty ?? end, hintedRevision, dueAt }
}

/** Compares a record with the stored one. An equal record counts as changed if `keep` has gained parts since the note was settled. */
function compareKeptRecord(
  state: NoteState,
  note: Note,
  stamp: ReadStamp,
  keep: KeptParts,
): ReturnType<typeof compareRecord> {
  const result = compareRecord(state, note, stamp)
  const lacksKept =
    state.settledRevision !== null &&
    ((keep.has('transcript') && state.transcriptHeld === null) || (keep.has('summary') && state.summaryHeld === null))
  return result === 'same' && lacksKept ? 'changed' : result
}

function compareRecord(state: NoteState, note: Note, stamp: ReadStamp): 'changed' | 'same' | 'older' | 'ambiguous' {
  const revision = state.revision ?? -1
  if (note.revision > revision) return 'changed'
  if (note.revision < revision) return overlaps(state, stamp) && state.contradictedSince === null ? 'same' : 'older'
  if (isSameRecord(state, note)) return 'same'
  // The same revision with other statuses: if the reads overlap, it is unknown which one is later.
  return overlaps(state, stamp) ? 'ambiguous' : 'changed'
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
  // The worker that has read the note reads its content next. Until then, `dueAt` is the end of its lease.
  return { ...state, settledRevision: null, attempts: 0, dueAt: source === 'read' ? state.dueAt : at }
}

/** Keeps the number of attempts to read the content, until the content is settled. */
function keepContentAttempts({ attempts, settledRevision }: NoteState, seen: NoteState): NoteState {
  if (settledRevision === null) return { ...seen, attempts: Math.max(attempts, seen.attempts) }
  return mayHaveNewContent(seen) ? { ...seen, settledRevision: null } : seen
}

/** Whether content was absent although no status says so: it may have become ready without a change of status. */
function mayHaveNewContent({ transcriptStatus, transcriptHeld, summaryStatus, summaryHeld }: NoteState): boolean {
  const mayHaveArrived = (status: string | null, held: HeldContent) => held === 'not_ready' && !meansAbsent(status)
  return mayHaveArrived(transcriptStatus, transcriptHeld) || mayHaveArrived(summaryStatus, summaryHeld)
}

function hiddenByAfter(hiddenBy: number | null, { start }: ReadStamp): number | null {
  return hiddenBy !== null && start < hiddenBy ? hiddenBy : null
}

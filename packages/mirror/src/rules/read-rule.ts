import { isTombstone, type Note } from '@notewire/protocol'
import { saysAbsent } from './content-status.ts'
import type { Decision } from './decision.ts'
import { type KeptParts, keptRecord, withoutUnkept } from './keep.ts'
import type { Evidence, EvidenceSource, HeldContent, NoteState } from './note-state.ts'
import { isPatienceSpent, pauseAfter } from './patience.ts'
import { scheduled } from './schedule.ts'

/** When an answer was asked for and in hand, by the mirror's own sequence, and what kind of read it was. */
export interface Reading {
  readonly start: number
  readonly end: number
  readonly source: EvidenceSource
  /** Milliseconds since the Unix epoch of this machine's clock. */
  readonly at: number
}

/** How a mirror applies what it reads. */
export interface ReadPolicy {
  readonly keep: KeptParts
  /** The scan that holds back what it found missing, when there is too much of it to remove without being told. */
  readonly holdingScan?: string | undefined
}

/**
 * Applies a note as it was listed or read, or its absence (a tombstone, or `undefined` for a note that is not there).
 *
 * Presence follows the order of evidence and not the revision: a later read wins when it started after the other had
 * ended. Reads that overlap and contradict each other are settled by one more. Content is the highest revision.
 */
export function applyRead(state: NoteState, answer: Note | undefined, reading: Reading, policy: ReadPolicy): Decision {
  const decision = judge(state, answer, reading, policy)
  return { ...decision, state: scheduled(decision.state, reading.at) }
}

function judge(state: NoteState, answer: Note | undefined, reading: Reading, policy: ReadPolicy): Decision {
  const says = answer === undefined || isTombstone(answer) ? 'absent' : 'present'
  if (overlaps(state, reading) && state.evidence?.says !== says) return { state: readAgain(state, reading) }
  // It may have come back since; only a tombstone is for good.
  if (answer === undefined && mayBeBack(state, reading)) return { state: readAgain(state, reading) }
  if (answer === undefined || says === 'absent') return applyAbsence(state, answer, reading, policy)
  return applyPresence(state, answer, reading, policy)
}

function applyPresence(state: NoteState, note: Note, reading: Reading, { keep }: ReadPolicy): Decision {
  // The read may have been answered before the event that hid the note was sent.
  if (state.hiddenBy !== null && reading.start < state.hiddenBy)
    return { state: withEvidence(state, 'present', reading) }
  const wasLive = state.presence === 'live'
  const seen = afterRead({ ...withEvidence(state, 'present', reading), ...VISIBLE }, note.revision, reading)
  switch (wasLive ? judgeSight(state, note, reading, keep) : judgeReturn(state, note, reading)) {
    case 'outdated':
      return { state: readAgain(withEvidence(state, 'present', reading), reading) }
    case 'same':
      return { state: sameAgain(state, seen) }
    case 'older':
      return { state: seen.dirty === null ? lookAgain({ ...seen, attempts: state.attempts }, reading) : seen }
    case 'unclear':
      return { state: readAgain(seen, reading) }
    case 'news':
      return {
        state: withContentDue(withRecord(seen, note), keep, reading),
        content: { note: keptRecord(note, keep), ...withoutUnkept(keep) },
        announce: wasLive ? 'changed' : 'appeared',
      }
  }
}

function applyAbsence(
  state: NoteState,
  tombstone: Note | undefined,
  reading: Reading,
  { holdingScan }: ReadPolicy,
): Decision {
  const absent = withEvidence(state, 'absent', reading)
  // Right after its creation, a note that an event has announced may not be found yet.
  const mayCome = tombstone === undefined && state.revision === null && state.hintedRevision !== null
  if (mayCome && state.dirty !== null && !isPatienceSpent(state.attempts)) return { state: persist(absent, reading) }
  const settled = { ...afterRead(absent, Number.POSITIVE_INFINITY, reading), settledRevision: null }
  if (state.presence === 'live' && tombstone === undefined && holdingScan !== undefined) {
    return { state: { ...settled, presence: 'hidden', heldByScan: holdingScan }, announce: 'vanished' }
  }
  // Kept by a scan's caution until it is accepted, or until somebody says that the note is gone.
  if (state.heldByScan !== null && state.hiddenBy === null && tombstone === undefined) return { state: settled }
  const revision = tombstone === undefined ? state.revision : Math.max(tombstone.revision, state.revision ?? 0)
  return {
    state: { ...settled, ...ERASED, revision, hiddenBy: clearedBy(state.hiddenBy, reading), hiddenAt: null },
    content: 'erase',
    announce: state.presence === 'gone' || state.revision === null ? undefined : 'vanished',
  }
}

const VISIBLE = { presence: 'live', hiddenBy: null, hiddenAt: null, heldByScan: null } as const

const ERASED = { presence: 'gone', heldByScan: null, transcriptHeld: null, summaryHeld: null } as const

function overlaps({ evidence }: NoteState, { start }: Reading): boolean {
  return evidence !== null && start < evidence.end
}

/** Whether an event has spoken of a note that is shown, after the read had begun that did not find it. */
function mayBeBack({ presence, heard }: NoteState, { start }: Reading): boolean {
  return presence === 'live' && heard !== null && start < heard.sequence
}

/** Of two that overlap and agree, the one that started later says more. */
function withEvidence(state: NoteState, says: Evidence['says'], reading: Reading): NoteState {
  const { evidence } = state
  if (evidence !== null && evidence.says === says && evidence.start > reading.start) return state
  return { ...state, evidence: { says, ...reading } }
}

/** Clears the mark that the read came after, unless the answer lags behind what an event said. */
function afterRead(state: NoteState, revision: number, reading: Reading): NoteState {
  if (state.dirty === null || reading.start < state.dirty) return state
  if ((state.hintedRevision ?? 0) > revision && !isPatienceSpent(state.attempts)) return persist(state, reading)
  return { ...state, dirty: null, hintedRevision: null, attempts: 0 }
}

/** Marks a note to be read once more, because what is known of it does not fit together. */
function readAgain(state: NoteState, { end, at }: Reading): NoteState {
  return { ...state, dirty: Math.max(state.dirty ?? 0, end), dueAt: at }
}

/** A revision that went back is an answer that lags, as long as there is patience. */
function lookAgain(state: NoteState, reading: Reading): NoteState {
  if (reading.source !== 'read') return readAgain(state, reading)
  return isPatienceSpent(state.attempts) ? { ...state, attempts: 0 } : persist(state, reading)
}

/** Leaves a note for later, because its answer lags behind. */
function persist(state: NoteState, { end, at, source }: Reading): NoteState {
  const attempts = source === 'read' ? state.attempts + 1 : state.attempts
  return { ...state, dirty: state.dirty ?? end, attempts, dueAt: at + pauseAfter(attempts) }
}

/** An older read of a note that an event has hidden since must not show it again as it was before. */
function judgeReturn(state: NoteState, note: Note, reading: Reading): 'news' | 'outdated' {
  return overlaps(state, reading) && note.revision < (state.revision ?? 0) ? 'outdated' : 'news'
}

/** The same record is news to a mirror that keeps more by now than when it was settled. */
function judgeSight(state: NoteState, note: Note, reading: Reading, keep: KeptParts): ReturnType<typeof judgeNews> {
  const news = judgeNews(state, note, reading)
  const lacksKept =
    state.settledRevision !== null &&
    ((keep.has('transcript') && state.transcriptHeld === null) || (keep.has('summary') && state.summaryHeld === null))
  return news === 'same' && lacksKept ? 'news' : news
}

function judgeNews(state: NoteState, note: Note, reading: Reading): 'news' | 'same' | 'older' | 'unclear' {
  const revision = state.revision ?? -1
  if (note.revision > revision) return 'news'
  if (note.revision < revision) return overlaps(state, reading) ? 'same' : 'older'
  const isSame =
    (note.status ?? null) === state.status &&
    (note.transcript_status ?? null) === state.transcriptStatus &&
    (note.summary_status ?? null) === state.summaryStatus &&
    (note.updated_at ?? null) === state.updatedAt
  if (isSame) return 'same'
  // Which of two that overlap came later, their revision does not say.
  return overlaps(state, reading) ? 'unclear' : 'news'
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

function withContentDue(state: NoteState, keep: KeptParts, { at, source }: Reading): NoteState {
  if (!keep.has('transcript') && !keep.has('summary')) {
    return { ...state, settledRevision: state.revision, transcriptHeld: null, summaryHeld: null }
  }
  // Whoever has read the note goes on with its content, and holds it until then.
  return { ...state, settledRevision: null, attempts: 0, dueAt: source === 'read' ? state.dueAt : at }
}

/** What was tried of the content counts on, until it is settled. */
function sameAgain({ attempts, settledRevision }: NoteState, seen: NoteState): NoteState {
  if (settledRevision === null) return { ...seen, attempts }
  return isOpen(seen) ? { ...seen, settledRevision: null } : seen
}

/** Content that was not there, while its status does not say so: it may have come without another word. */
function isOpen({ transcriptStatus, transcriptHeld, summaryStatus, summaryHeld }: NoteState): boolean {
  const mayHaveCome = (status: string | null, held: HeldContent) => held === 'not_ready' && !saysAbsent(status)
  return mayHaveCome(transcriptStatus, transcriptHeld) || mayHaveCome(summaryStatus, summaryHeld)
}

function clearedBy(hiddenBy: number | null, { start }: Reading): number | null {
  return hiddenBy !== null && start < hiddenBy ? hiddenBy : null
}

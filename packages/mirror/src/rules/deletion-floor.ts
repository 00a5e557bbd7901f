import type { Note } from '@notewire/protocol'
import type { DeletionFloor, NoteState } from '../interfaces/note-state.ts'
import { pauseAfter } from './backoff.ts'
import { highestKnown, isAcceptedInTheEnd } from './contradiction.ts'
import type { ReadStamp } from './decision.ts'
import { endOfLag, isPastLag, serviceTimeIn, trustedTime } from './time.ts'

/** A full scan that begins this long after the deletion's event may show a lower revision again, in milliseconds. */
const BELIEVED_AFTER_MS = 24 * 60 * 60_000

interface AnnouncedDeletion {
  readonly revision: number | null
  /** Milliseconds since the Unix epoch of the service's clock; `null` when the event does not tell. */
  readonly occurredAt: number | null
}

/** The floor after a deletion event: the highest revision that was announced, and the latest arrival at it. */
export function floorAfter(state: NoteState, { revision, occurredAt }: AnnouncedDeletion, at: number): DeletionFloor {
  const { floor } = state
  const highest = highestKnown(state)
  const named = revision ?? floor?.revision ?? (highest < 0 ? null : highest)
  const deletedAt = Math.max(occurredAt ?? at, at)
  if (floor === null) return { revision: named, at, deletedAt }
  if (named !== null && floor.revision !== null && named < floor.revision) return floor
  // Two events may be written down in any order. The later one counts.
  const latest = Math.max(trustedTime(floor.at, at), at)
  return { revision: named, at: latest, deletedAt: Math.max(floor.deletedAt, deletedAt) }
}

/** Restarts a floor whose time was written by a clock that was ahead, so that it ends. */
export function withTrustedFloor(state: NoteState, now: number): NoteState {
  const { floor } = state
  const at = floor === null ? now : trustedTime(floor.at, now)
  return floor === null || at === floor.at ? state : { ...state, floor: { ...floor, at } }
}

/** When a read can no longer lag behind the deletion. */
export function endOfFloorLag({ at }: DeletionFloor): number {
  return endOfLag(at)
}

/**
 * Whether a record shows a note again that is hidden or gone (open points 35 and 36).
 *
 * - `early`: it has the revision of an announced deletion, and may lag behind it. It proves nothing.
 * - `contradicted`: its revision is lower than one that was read or announced. It is accepted after some attempts.
 * - `refused`: its revision is lower than that of an announced deletion. It is not accepted, however often it is read.
 */
export type ReturnVerdict = 'shown' | 'early' | 'contradicted' | 'refused'

export function judgeReturn(state: NoteState, note: Note, stamp: ReadStamp): ReturnVerdict {
  switch (state.floor === null ? 'above' : judgeByFloor(state.floor, state, note, stamp)) {
    case 'again':
      return 'shown'
    case 'early':
      return 'early'
    case 'below':
      return 'refused'
    case 'above':
      return note.revision < highestKnown(state) && !isAcceptedInTheEnd(state, stamp) ? 'contradicted' : 'shown'
  }
}

/**
 * What a record proves about a note whose deletion was announced.
 *
 * - `above`: a later revision, or the revision of the deletion by a read that cannot lag behind it. The note is back.
 * - `early`: the revision of the deletion, by a read that may lag behind it.
 * - `again`: a lower revision that is to be believed: of an identifier that is used again, or by a full scan a day later.
 * - `below`: another lower revision.
 */
function judgeByFloor(
  floor: DeletionFloor,
  { createdAt }: NoteState,
  note: Note,
  { begunAt, scanBeganAt }: ReadStamp,
): 'above' | 'early' | 'again' | 'below' {
  if (floor.revision !== null && note.revision > floor.revision) return 'above'
  if (floor.revision === null || note.revision === floor.revision) {
    return isPastLag(trustedTime(floor.at, begunAt), begunAt) ? 'above' : 'early'
  }
  if (wasCreatedAfter(floor, createdAt, note)) return 'again'
  const isOfLaterScan = scanBeganAt !== undefined && scanBeganAt - trustedTime(floor.at, begunAt) >= BELIEVED_AFTER_MS
  return isOfLaterScan ? 'again' : 'below'
}

function wasCreatedAfter({ deletedAt }: DeletionFloor, knownCreatedAt: string | null, { created_at }: Note): boolean {
  const createdAt = serviceTimeIn(created_at)
  // A stale record of the deleted note has the creation time that is known.
  return createdAt !== null && createdAt > deletedAt && created_at !== knownCreatedAt
}

/** Has a note read again when the lag behind its deletion is over, or sooner while its content is kept. */
export function waitOutLag(state: NoteState, { end, at, source }: ReadStamp): NoteState {
  if (state.floor === null || (source !== 'read' && state.dirty !== null)) return state
  const attempts = source === 'read' ? state.attempts + 1 : state.attempts
  const over = endOfFloorLag(state.floor)
  const dueAt = state.presence === 'hidden' ? Math.min(over, at + pauseAfter(attempts)) : over
  return { ...state, dirty: state.dirty ?? end, attempts, dueAt }
}

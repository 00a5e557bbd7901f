import type { Note } from '@notewire/protocol'
import type { DeletionFloor, NoteState } from '../interfaces/note-state.ts'
import { backoffAfter } from './backoff.ts'
import { highestKnownRevision, isAcceptedAfterRetries } from './contradiction.ts'
import type { ReadStamp } from './decision.ts'
import { endOfLag, isPastLag, serviceTimeIn, trustedTime } from './time.ts'

/** A full scan that begins this long after the deletion event is accepted even if it lists a lower revision, in milliseconds. */
const ACCEPT_SCAN_AFTER_MS = 24 * 60 * 60_000

interface AnnouncedDeletion {
  readonly revision: number | null
  /** `occurred_at`, in milliseconds since the Unix epoch by the service's clock; `null` if the event has none. */
  readonly occurredAt: number | null
}

/**
 * The floor after a deletion event: the highest announced revision, and the latest time at which an event announced it.
 *
 * @param at  when the event arrived
 */
export function floorAfter(state: NoteState, { revision, occurredAt }: AnnouncedDeletion, at: number): DeletionFloor {
  const { floor } = state
  const highest = highestKnownRevision(state)
  const floorRevision = revision ?? floor?.revision ?? (highest < 0 ? null : highest)
  const deletedAt = Math.max(occurredAt ?? at, at)
  if (floor === null) return { revision: floorRevision, at, deletedAt }
  if (floorRevision !== null && floor.revision !== null && floorRevision < floor.revision) return floor
  // Concurrent processes may store two events in any order. The later time is kept.
  const latest = Math.max(trustedTime(floor.at, at), at)
  return { revision: floorRevision, at: latest, deletedAt: Math.max(floor.deletedAt, deletedAt) }
}

/** Replaces a floor time that lies in the future (a clock was ahead) with the current time. Otherwise the lag period might never end. */
export function withTrustedFloor(state: NoteState, now: number): NoteState {
  const { floor } = state
  const at = floor === null ? now : trustedTime(floor.at, now)
  return floor === null || at === floor.at ? state : { ...state, floor: { ...floor, at } }
}

/** The time from which on a read cannot lag behind the deletion. */
export function endOfFloorLag({ at }: DeletionFloor): number {
  return endOfLag(at)
}

/**
 * What to do with a hidden or gone note for which the service returns a record (open points 35 and 36).
 *
 * - `show`: the note is shown again.
 * - `may_lag`: the record has the revision of an announced deletion, and may be older than the deletion. The note is not shown yet.
 * - `contradicted`: the record's revision is lower than one that was read or announced. It is accepted after some attempts.
 * - `refused`: the record's revision is lower than that of an announced deletion. Repeated reads do not make it accepted.
 */
export type ReappearanceVerdict = 'show' | 'may_lag' | 'contradicted' | 'refused'

export function judgeReappearance(state: NoteState, note: Note, stamp: ReadStamp): ReappearanceVerdict {
  switch (state.floor === null ? 'newer' : compareWithFloor(state.floor, state, note, stamp)) {
    case 'accepted':
      return 'show'
    case 'may_lag':
      return 'may_lag'
    case 'lower':
      return 'refused'
    case 'newer':
      return note.revision < highestKnownRevision(state) && !isAcceptedAfterRetries(state, stamp)
        ? 'contradicted'
        : 'show'
  }
}

/**
 * How a record relates to the announced deletion of its note.
 *
 * - `newer`: it is newer than the deletion: a higher revision, or the deletion's revision in a read that cannot lag behind it.
 * - `may_lag`: it has the deletion's revision, in a read that may lag behind the deletion.
 * - `accepted`: it has a lower revision, and is accepted: its identifier was reused, or a full scan a day later lists it.
 * - `lower`: any other record with a lower revision.
 */
function compareWithFloor(
  floor: DeletionFloor,
  { createdAt }: NoteState,
  note: Note,
  { requestedAt, scanBeganAt }: ReadStamp,
): 'newer' | 'may_lag' | 'accepted' | 'lower' {
  if (floor.revision !== null && note.revision > floor.revision) return 'newer'
  if (floor.revision === null || note.revision === floor.revision) {
    return isPastLag(trustedTime(floor.at, requestedAt), requestedAt) ? 'newer' : 'may_lag'
  }
  if (wasCreatedAfter(floor, createdAt, note)) return 'accepted'
  const isOfLaterScan =
    scanBeganAt !== undefined && scanBeganAt - trustedTime(floor.at, requestedAt) >= ACCEPT_SCAN_AFTER_MS
  return isOfLaterScan ? 'accepted' : 'lower'
}

function wasCreatedAfter({ deletedAt }: DeletionFloor, knownCreatedAt: string | null, { created_at }: Note): boolean {
  const createdAt = serviceTimeIn(created_at)
  // A stale record of the deleted note has the creation time that the mirror already knows.
  return createdAt !== null && createdAt > deletedAt && created_at !== knownCreatedAt
}

/** Schedules the next read at the end of the lag period, or earlier (with backoff) if the note's content is still stored. */
export function retryAfterLag(state: NoteState, { end, at, source }: ReadStamp): NoteState {
  if (state.floor === null || (source !== 'read' && state.dirty !== null)) return state
  const attempts = source === 'read' ? state.attempts + 1 : state.attempts
  const lagEndsAt = endOfFloorLag(state.floor)
  const dueAt = state.presence === 'hidden' ? Math.min(lagEndsAt, at + backoffAfter(attempts)) : lagEndsAt
  return { ...state, dirty: state.dirty ?? end, attempts, dueAt }
}

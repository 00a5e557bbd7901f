import type { Note } from '@notewire/protocol'
import type { DeletionFloor, NoteState } from '../notes/note-state.ts'
import { backoffAfter } from './backoff.ts'
import { highestKnownRevision, isAcceptedAfterRetries } from './contradiction.ts'
import type { ReadStamp } from './evidence.ts'
import { endOfLag, isPastLag, serviceTimeIn, trustedTime } from './time.ts'

/** A full listing that begins this many milliseconds after the deletion event may show the note with a lower revision. */
const ACCEPT_FULL_LISTING_AFTER_MS = 24 * 60 * 60_000

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
  const unrevisedAt = revision === null ? laterArrival(floor?.unrevisedAt, at) : (floor?.unrevisedAt ?? null)
  if (floor === null) return { revision: floorRevision, at, deletedAt, unrevisedAt }
  if (floorRevision !== null && floor.revision !== null && floorRevision < floor.revision) return floor
  const latest = laterArrival(floor.at, at)
  return { revision: floorRevision, at: latest, deletedAt: Math.max(floor.deletedAt, deletedAt), unrevisedAt }
}

/** Concurrent processes may store two events in any order, so the later time wins. */
function laterArrival(known: number | null | undefined, at: number): number {
  return Math.max(trustedTime(known ?? at, at), at)
}

/** Replaces a floor time in the future, which a wrong clock caused, with the current time. Otherwise the lag period could last too long. */
export function withTrustedFloor(state: NoteState, now: number): NoteState {
  const { floor } = state
  if (floor === null) return state
  const unrevisedAt = floor.unrevisedAt === null ? null : trustedTime(floor.unrevisedAt, now)
  return { ...state, floor: { ...floor, at: trustedTime(floor.at, now), unrevisedAt } }
}

/**
 * Decides whether to show a hidden or gone note again when the service returns a record for it (open points 35 and 36).
 *
 * - `show`: show the note.
 * - `may_lag`: keep it hidden. The record may be older than an announced deletion: it has its revision, or the deletion had none.
 * - `contradicted`: keep it hidden. The record's revision is lower than one that was read or announced. Repeated reads make it accepted.
 * - `refused`: keep it hidden. The record's revision is lower than that of an announced deletion. Repeated reads do not make it accepted.
 */
export type ReappearanceVerdict = 'show' | 'may_lag' | 'contradicted' | 'refused'

export function judgeReappearance(state: NoteState, note: Note, stamp: ReadStamp): ReappearanceVerdict {
  const { floor } = state
  if (floor !== null && isBelow(floor, note)) {
    return wasCreatedAfter(floor, state.createdAt, note) || isOfLaterFullListing(floor, stamp) ? 'show' : 'refused'
  }
  if (floor !== null && mayLagBehind(floor, note, stamp)) return 'may_lag'
  const isLower = note.revision < highestKnownRevision(state)
  return isLower && !isAcceptedAfterRetries(state, stamp) ? 'contradicted' : 'show'
}

function isBelow(floor: DeletionFloor, { revision }: Note): boolean {
  return floor.revision !== null && revision < floor.revision
}

/** Whether a record was read in the lag period, and has the deletion's revision, or the deletion had none (open point 38). */
function mayLagBehind(floor: DeletionFloor, { revision }: Note, { requestedAt }: ReadStamp): boolean {
  const lagsSince = floor.revision !== null && revision > floor.revision ? floor.unrevisedAt : floor.at
  return lagsSince !== null && !isPastLag(trustedTime(lagsSince, requestedAt), requestedAt)
}

/** Whether a full listing that began a day after the deletion lists the record. */
function isOfLaterFullListing({ at }: DeletionFloor, { requestedAt, fullListingBeganAt }: ReadStamp): boolean {
  return (
    fullListingBeganAt !== undefined &&
    fullListingBeganAt - trustedTime(at, requestedAt) >= ACCEPT_FULL_LISTING_AFTER_MS
  )
}

function wasCreatedAfter({ deletedAt }: DeletionFloor, knownCreatedAt: string | null, { created_at }: Note): boolean {
  const createdAt = serviceTimeIn(created_at)
  // A stale record of the deleted note has the creation time that the mirror has stored.
  return createdAt !== null && createdAt > deletedAt && created_at !== knownCreatedAt
}

/** Schedules the next read for the end of the lag period. A hidden note, whose content is still stored, is read earlier if its backoff ends earlier. */
export function retryAfterLag(state: NoteState, { at, source }: ReadStamp): NoteState {
  if (state.floor === null || (source !== 'read' && state.readAfterSequence !== null)) return state
  const attempts = source === 'read' ? state.attempts + 1 : state.attempts
  const { at: announcedAt, unrevisedAt } = state.floor
  const lagEndsAt = endOfLag(Math.max(announcedAt, unrevisedAt ?? announcedAt))
  const dueAt = state.presence === 'hidden' ? Math.min(lagEndsAt, at + backoffAfter(attempts)) : lagEndsAt
  return { ...state, attempts, dueAt }
}

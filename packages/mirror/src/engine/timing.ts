import { type EndpointRecord, type NextWork, RANKS } from '../integrations/integration-store.ts'
import { fullListingContinuesAt } from '../listing/schedule.ts'
import { isPaced } from '../rules/listing-track.ts'
import type { Slice } from './engine.ts'

/** The shortest time between two slices if the first had nothing to do, because a store may be due for work of its own. In milliseconds. */
const RETRY_AFTER_MS = 1_000

/**
 * Returns the time between two polls from now on: twice as long after each poll that found only announced changes; the shortest after a poll
 * that found other changes, or while events cannot arrive.
 */
export function pollEveryAfter(
  { before, after }: Pick<Slice, 'before' | 'after'>,
  current: number | null,
  endpoint: EndpointRecord | null,
  [shortest, longest]: readonly [shortest: number, longest: number],
): number {
  const areEventsArriving = endpoint === null ? after.poll.heardAt !== null : endpoint.status === 'active'
  if (current === null || !areEventsArriving || foundUnannounced({ before, after })) return shortest
  if (after.poll.polledAt === before.poll.polledAt) return current
  return Math.min(current * 2, longest)
}

/** Whether a poll found changes that no event announced. */
export function foundUnannounced({ before, after }: Pick<Slice, 'before' | 'after'>): boolean {
  const known = after.poll.heardAt === before.poll.heardAt ? before.poll.unannounced : 0
  return after.poll.unannounced > known
}

/** What was asked for and is not fulfilled after a slice. */
export function stillAsked(
  { pollAskedAt, fullListingAskedAt }: NextWork,
  { before, after, hasPolled }: Pick<Slice, 'before' | 'after' | 'hasPolled'>,
): Pick<NextWork, 'pollAskedAt' | 'fullListingAskedAt'> {
  const known = [before.fullListing?.fullListingId, before.lastFullListing?.fullListingId]
  const hasBegunFullListing = [after.fullListing?.fullListingId, after.lastFullListing?.fullListingId].some(
    (fullListingId) => !known.includes(fullListingId),
  )
  return {
    pollAskedAt: hasPolled ? undefined : pollAskedAt,
    fullListingAskedAt: hasBegunFullListing ? undefined : fullListingAskedAt,
  }
}

/** Returns when the next slice is due, and its rank, given when the next poll is due, and when a listing that failed is repeated. */
export function afterSlice(
  { after, nextDueAt, settled, listing }: Pick<Slice, 'after' | 'nextDueAt' | 'settled' | 'listing'>,
  {
    pollAt,
    listAt,
    ...asked
  }: Pick<NextWork, 'listAt' | 'pollAskedAt' | 'fullListingAskedAt'> & { readonly pollAt: number },
  now: number,
): { readonly dueAt: number; readonly rank: number } {
  const fullListingAt = fullListingContinuesAt(after, asked, now)
  const nextPollAt = asked.pollAskedAt === undefined ? pollAt : now
  const nextListAt = Math.max(Math.min(nextPollAt, fullListingAt ?? nextPollAt), listAt ?? 0)
  const nextAt = Math.min(nextDueAt ?? nextListAt, nextListAt)
  const hasWorked = settled > 0 || listing !== undefined
  const mayContinue = hasWorked && !isPaced(after.poll.track) && !isPaced(after.fullListing?.track)
  const dueAt = Math.max(nextAt, mayContinue ? now : now + RETRY_AFTER_MS)
  if (after.poll.backfilledAt === null) return { dueAt, rank: RANKS.backfill }
  return { dueAt, rank: fullListingAt === null ? RANKS.poll : RANKS.fullListing }
}

/** Shortens a time by up to a fifth. The jitter is a hash of the id, so that integrations that were added together do not poll together. */
export function jittered(ms: number, integration: string): number {
  let hash = 2_166_136_261
  for (const character of integration) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619)
  return Math.round(ms * (1 - (hash >>> 0) / 2 ** 32 / 5))
}

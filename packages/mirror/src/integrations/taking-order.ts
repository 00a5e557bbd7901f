import { MAX_WAIT_MS } from './integration-store.ts'

/** Times after `after` and up to `by`; `null` for any. */
export interface TimeRange {
  readonly after: number | null
  readonly by: number | null
}

/**
 * Where a worker looks for an integration, in order: rank by rank, and in each rank for the most overdue, then for those whose due time a wrong clock
 * wrote.
 */
export function takingOrder(now: number, maxRank: number): readonly (TimeRange & { readonly rank: number })[] {
  const { past, tooFarAhead } = dueTimes(now)
  return Array.from({ length: maxRank + 1 }, (_, rank) => [
    { rank, ...past },
    { rank, ...tooFarAhead },
  ]).flat()
}

/** How a due time is to be understood. One that is too far ahead was written by a wrong clock, and counts as past. */
export function dueTimes(now: number) {
  return {
    past: { after: null, by: now },
    ahead: { after: now, by: now + MAX_WAIT_MS },
    tooFarAhead: { after: now + MAX_WAIT_MS, by: null },
  } as const satisfies Readonly<Record<string, TimeRange>>
}

/** The latest end that the lease of a worker can have. A later one was written by a wrong clock, and does not count. */
export function latestLeaseEnd({ now, until }: { readonly now: number; readonly until: number }): number {
  return now + 2 * (until - now)
}

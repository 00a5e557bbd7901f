import { type IntegrationRecord, MAX_WAIT_MS } from '../integrations/integration-store.ts'
import { isListingPostponed, type ListingWork, pollDueAt } from '../listing/schedule.ts'
import { backoffAfter } from '../rules/backoff.ts'
import { silenceAfter } from '../rules/silence-rule.ts'
import { isEndpointCheckDue, tryToCheckEndpoint } from './endpoint.ts'
import type { Slice } from './engine.ts'
import type { ActiveWork } from './slice-context.ts'
import { afterSlice, foundUnannounced, jittered, pollEveryAfter, stillAsked } from './timing.ts'

/**
 * Makes the usual work: polls, lists all notes, and fetches due notes. Then checks the endpoint, if a check is due or a poll found changes that no
 * event announced.
 * If a listing or the check fails and other requests do not, it is repeated with growing pauses, and delays nothing else.
 *
 * @param asked  what to list, whatever is due
 */
export function bringUpToDate(asked?: ListingWork): ActiveWork {
  return async (taken, { client }, engine, { settings, signal, shouldYield, isPacedBySchedule }) => {
    const { record, copy } = taken
    const { integration, endpoint: known } = record
    const { policy } = settings
    const slice = await engine.slice(taken, { signal, shouldYield, isPacedBySchedule }, asked)
    const { listing, listingError, settled, postponed } = slice
    const now = settings.clock.now()
    const isSuspect = foundUnannounced(slice)
    const isCheckDue = known !== null && (isSuspect || isEndpointCheckDue(known, now))
    const seen = { now, heardAt: copy.heardAt }
    const checked = isCheckDue
      ? await tryToCheckEndpoint(client, known, seen, isSuspect)
      : { endpoint: known, error: undefined }
    const { endpoint } = checked
    const range = [settings.pollEveryMs, policy.longestPollEveryMs] as const
    const pollEveryMs = pollEveryAfter(slice, record.pollEveryMs, endpoint, range)
    const pollAt = pollDueAt(slice.after, policy.spread(pollEveryMs, integration), now)
    const listAt = listAtAfter(slice, record, now)
    const requests = stillAsked(record, slice)
    const { dueAt, rank } = afterSlice(slice, { pollAt, listAt, ...requests }, now)
    const checkAt = endpoint === null || endpoint.status === 'active' ? dueAt : endpoint.checkAt
    const isSynced = listing !== undefined && listingError === undefined
    const synced = isSynced
      ? { syncedAt: now, problem: undefined, silence: silenceAfter(record.silence, slice.after.poll, now) }
      : {}
    const schedule = { rank, dueAt: Math.min(dueAt, checkAt, now + MAX_WAIT_MS), listAt, pollEveryMs }
    return {
      next: { ...record, ...synced, ...requests, ...schedule, endpoint },
      error: listingError ?? checked.error,
      report: { listed: listing !== undefined, settled, postponed },
    }
  }
}

/** When a listing that failed is repeated. Hints that arrive before have their notes read, and repeat no listing. */
function listAtAfter({ listing, listingError }: Slice, record: IntegrationRecord, now: number): number | undefined {
  if (listingError !== undefined) return now + jittered(backoffAfter(record.failures), record.integration)
  return listing === undefined && isListingPostponed(record, now) ? record.listAt : undefined
}

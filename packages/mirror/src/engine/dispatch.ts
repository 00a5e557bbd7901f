import { monotonicNow } from '@notewire/protocol'
import { Wakeup } from '../concurrency/wakeup.ts'
import { RANKS, type TakenIntegration } from '../integrations/integration-store.ts'
import type { StoreOutage } from '../reporting/store-outage.ts'
import { isDue, nextAt } from '../rules/schedule-rule.ts'
import type { ClockConflicts } from './clock-conflicts.ts'
import { FetchingWithoutALease, findHeld, HINT_WAITS_MS } from './fetching-without-a-lease.ts'
import type { WorkReport } from './mirrors-options.ts'
import type { SharedPauses } from './shared-pauses.ts'
import { doSlice, type SliceEnd } from './slice.ts'
import { type SliceClock, sliceClock } from './slice-clock.ts'
import { takeRequest } from './taking.ts'
import type { WorkSettings } from './work-settings.ts'

/** A slice stops after this time if another integration may need its place, when its current page and reads are complete. In milliseconds. */
const SLICE_MS = 500

/** A slice stops after this time in any case, so that a new key counts and the endpoint is checked. In milliseconds. */
const LONGEST_SLICE_OF_MANY_MS = 60_000

const AFTER_ERROR_MS = 5_000

/** The share of the concurrent slices that is reserved for hints. */
const HINT_SHARE = 1 / 4

export interface DispatchOptions {
  readonly settings: WorkSettings
  readonly pauses: SharedPauses
  readonly conflicts: ClockConflicts
  readonly signal: AbortSignal
  readonly concurrency: number
  /** If set, `dispatch` ends at this reading of `monotonicNow`, or when nothing is due. Otherwise it waits for the next due integration. */
  readonly endAt?: number | undefined
  readonly integration?: string | undefined
  /** Called with an error of the store. */
  readonly onError: (error: unknown) => void
  /** Absent if the caller rejects with the error of the store. */
  readonly outage?: StoreOutage | undefined
  /** Whether `dispatch` ends with the error of a slice. */
  readonly isFinal?: ((error: unknown) => boolean) | undefined
}

/**
 * Takes due integrations and works on them in slices, hints first, until the signal fires. With `endAt`, it also ends at that time, or when
 * nothing is due.
 *
 * @throws the error of a slice if it is final
 */
export async function dispatch(parts: DispatchOptions): Promise<void> {
  const {
    settings,
    pauses,
    conflicts,
    signal,
    concurrency,
    endAt = Number.POSITIVE_INFINITY,
    integration,
    onError,
    outage,
    isFinal = () => false,
  } = parts
  const { store, clock, policy, work } = settings
  // One integration is not sliced: no other waits for its place.
  const longestSliceMs = policy.isSingle ? Number.POSITIVE_INFINITY : LONGEST_SLICE_OF_MANY_MS
  const maxOthers = concurrency - Math.floor(concurrency * HINT_SHARE)
  const running = new Map<Promise<void>, boolean>()
  const changes = new Wakeup()
  const unleased = new FetchingWithoutALease()
  let isHintWaiting = false
  let final: { readonly error: unknown } | undefined
  /** When the one integration of this loop is due, as this loop has scheduled it. */
  let scheduledAt = Number.POSITIVE_INFINITY
  /** When to look for an integration of another worker, by `monotonicNow`. */
  let findAt = Number.NEGATIVE_INFINITY

  const onHint = () => {
    isHintWaiting = true
    // A worker on one integration has nothing else to look for.
    if (integration !== undefined) findAt = Number.NEGATIVE_INFINITY
    changes.wake()
  }
  const stopListening = settings.hints.listenToAll(onHint)

  /** The time until the scheduled work, once: if another worker has taken it, the next check is a usual one. */
  function untilScheduled(): number {
    const ms = scheduledAt - clock.now()
    if (ms <= 0) scheduledAt = Number.POSITIVE_INFINITY
    return ms <= 0 ? Number.POSITIVE_INFINITY : ms
  }

  /** Whether no place is free for work that is not a hint. */
  function isFullOfOthers(): boolean {
    return [...running.values()].filter((isHint) => !isHint).length >= maxOthers
  }

  /** Whether another integration may wait for a place. A worker on one integration has no other. */
  function mayOthersWait(): boolean {
    return integration === undefined && (running.size >= concurrency || isFullOfOthers())
  }

  async function take(ofSlice: SliceClock): Promise<TakenIntegration | undefined> {
    if (running.size >= concurrency) return undefined
    isHintWaiting = false
    const maxRank = isFullOfOthers() ? RANKS.hint : RANKS.fullListing
    for (;;) {
      const except = conflicts.list(monotonicNow(clock))
      const request = { ...takeRequest(settings, ofSlice.now()), maxRank, integration, except }
      const taken = await store.integrations.take(request)
      outage?.answered()
      if (taken === undefined || (await isForThisLoop(taken, ofSlice))) return taken
    }
  }

  /** Whether this loop works on an integration that it has taken. Otherwise a call of this process does, or a process with another clock. */
  async function isForThisLoop(taken: TakenIntegration, ofSlice: SliceClock): Promise<boolean> {
    if (work.handOver(taken)) return false
    if (!conflicts.arises(taken.record, ofSlice.now(), monotonicNow(clock))) return true
    await settings.integrations.finish(taken.record, taken.record, ofSlice.now())
    return false
  }

  /** Finds an integration of another worker, some of whose notes this process can fetch. */
  async function findNotesOfAnother(ofSlice: SliceClock): Promise<TakenIntegration | undefined> {
    const read = monotonicNow(clock)
    if (running.size >= concurrency || read < findAt) return undefined
    const except = [...conflicts.list(read), ...unleased.list(read)]
    const found = await findHeld(settings, { integration, now: ofSlice.now(), except })
    findAt = found === undefined ? read + HINT_WAITS_MS : read
    return found
  }

  function fetchUnleased(found: TakenIntegration, ofSlice: SliceClock): void {
    const shouldYield = () => monotonicNow(clock) >= endAt
    const context = { settings, clock: ofSlice, pauses, signal, shouldYield, isLogged: () => false }
    const fetching = unleased.fetch(found, context).then(() => {
      running.delete(fetching)
      changes.wake()
    })
    running.set(fetching, true)
  }

  function endIfFinal({ error }: SliceEnd): void {
    if (error !== undefined && isFinal(error)) final ??= { error }
  }

  function start(taken: TakenIntegration, ofSlice: SliceClock): void {
    const isHint = taken.record.rank === RANKS.hint
    const began = monotonicNow(clock)
    // A slice ends with its slowest request, and fetches no other note until then. So it does not end without need.
    const isLate = (now: number) => now >= began + (mayOthersWait() ? SLICE_MS : longestSliceMs) || now >= endAt
    const { integration: taking } = taken.record
    const isWanted = () => work.isAwaited(taking) || (!isHint && isHintWaiting && running.size >= concurrency)
    const shouldYield = () => isLate(monotonicNow(clock)) || isWanted()
    const logs = { isLogged: (error: unknown) => !isFinal(error), logsStore: outage !== undefined }
    const stops = { signal, shouldYield, isPacedBySchedule: !policy.isSingle }
    conflicts.recordBegin(taking)
    const slice = doSlice(taken, { settings, clock: ofSlice, pauses, ...stops, ...logs })
      .then((end) => {
        if (end.isStoreFailure) outage?.failed(end.error, taking)
        else outage?.answered(taking)
        endIfFinal(end)
        return end
      })
      .catch((error) => {
        outage?.failed(error, taking)
        onError(error)
        return { dueAt: null }
      })
      .then(({ dueAt }) => {
        conflicts.recordEnd(taking, dueAt, monotonicNow(clock))
        if (integration !== undefined) scheduledAt = dueAt ?? Number.POSITIVE_INFINITY
        running.delete(slice)
        changes.wake()
      })
    running.set(slice, isHint)
  }

  /** Starts the next work. @returns whether there was some */
  async function startNext(ofSlice: SliceClock): Promise<boolean> {
    const taken = await take(ofSlice)
    if (taken !== undefined) {
      start(taken, ofSlice)
      return true
    }
    const found = await findNotesOfAnother(ofSlice)
    if (found !== undefined) fetchUnleased(found, ofSlice)
    return found !== undefined
  }

  try {
    while (!signal.aborted && final === undefined && monotonicNow(clock) < endAt) {
      const { count } = changes
      let maxWaitMs = policy.checkEveryMs
      const isStarted = await startNext(sliceClock(clock)).catch((error) => {
        outage?.failed(error)
        onError(error)
        maxWaitMs = AFTER_ERROR_MS
        return false
      })
      settings.log.writeDue()
      if (isStarted || changes.count !== count) continue
      if (endAt < Number.POSITIVE_INFINITY && running.size === 0) break
      await changes.nextWithin(Math.min(maxWaitMs, endAt - monotonicNow(clock), untilScheduled()), clock, signal)
    }
  } finally {
    stopListening()
    await Promise.all(running.keys())
  }
  if (final !== undefined) throw final.error
}

export async function workLeft(
  { store, integrations, clock }: WorkSettings,
  integration: string | undefined,
): Promise<WorkReport> {
  const now = clock.now()
  if (integration === undefined) {
    const { due, nextAt } = await store.integrations.count(now)
    return { nextAt: due > 0 ? now : nextAt, remaining: due }
  }
  const record = await integrations.get(integration)
  if (record === undefined) return { nextAt: null, remaining: 0 }
  return { nextAt: nextAt(record, now), remaining: isDue(record, now) ? 1 : 0 }
}

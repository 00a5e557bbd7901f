import { monotonicNow } from '@notewire/protocol'
import { Wakeup } from '../concurrency/wakeup.ts'
import { type IntegrationStore, isTooFarAhead, RANKS, type TakenIntegration } from '../interfaces/integration-store.ts'
import { leaseFrom } from './lease.ts'
import type { MirrorsSettings, WorkReport } from './mirrors-options.ts'
import type { SharedPauses } from './shared-pauses.ts'
import { doSlice } from './slice.ts'

/** A slice stops after this time, when its current page or read is complete, in milliseconds. */
const SLICE_MS = 500

/** The time between two checks for integrations that other processes have made due, in milliseconds. */
const CHECK_EVERY_MS = 500

/** The pause after an error of the store, in milliseconds. */
const AFTER_ERROR_MS = 5_000

/** The share of the concurrent slices that is reserved for hints. */
const HINT_SHARE = 1 / 4

export interface DispatchOptions {
  readonly settings: MirrorsSettings
  readonly pauses: SharedPauses
  readonly signal: AbortSignal
  readonly concurrency: number
  /** Functions that are called when this process has stored a hint. */
  readonly hintListeners: Set<() => void>
  /** If set, `dispatch` ends at this reading of `monotonicNow`, or when nothing is due. Otherwise it waits for the next due integration. */
  readonly endAt?: number | undefined
  /** Work on this integration only. */
  readonly integration?: string | undefined
  /** Called with each error of the store. */
  readonly onError: (error: unknown) => void
}

/**
 * Takes due integrations and works on them in slices, hints first, until the signal fires. With `endAt`, it also ends at that time, or when
 * nothing is due.
 */
export async function dispatch(parts: DispatchOptions): Promise<void> {
  const { settings, pauses, signal, concurrency, endAt = Number.POSITIVE_INFINITY, integration, onError } = parts
  const { store, clock } = settings
  const maxOthers = concurrency - Math.floor(concurrency * HINT_SHARE)
  const running = new Map<Promise<void>, boolean>()
  const changes = new Wakeup()
  let isHintWaiting = false
  let isChanged = false

  const change = () => {
    isChanged = true
    changes.wake()
  }
  const onHint = () => {
    isHintWaiting = true
    change()
  }
  parts.hintListeners.add(onHint)

  async function take(): Promise<TakenIntegration | undefined> {
    if (running.size >= concurrency) return undefined
    isHintWaiting = false
    const others = [...running.values()].filter((isHint) => !isHint).length
    const maxRank = others < maxOthers ? RANKS.scan : RANKS.hint
    return await store.integrations.take({ ...leaseFrom(clock.now()), most: maxRank, integration })
  }

  function start(taken: TakenIntegration): void {
    const isHint = taken.record.rank === RANKS.hint
    const endOfSlice = monotonicNow(clock) + SLICE_MS
    const isLate = () => monotonicNow(clock) >= endOfSlice || monotonicNow(clock) >= endAt
    const shouldYield = () => isLate() || (!isHint && isHintWaiting && running.size >= concurrency)
    const slice = doSlice(taken, { settings, pauses, signal, shouldYield })
      .catch(onError)
      .then(() => {
        running.delete(slice)
        change()
      })
    running.set(slice, isHint)
  }

  try {
    while (!signal.aborted && monotonicNow(clock) < endAt) {
      isChanged = false
      let maxWaitMs = CHECK_EVERY_MS
      const taken = await take().catch((error) => {
        onError(error)
        maxWaitMs = AFTER_ERROR_MS
        return undefined
      })
      if (taken !== undefined) start(taken)
      else if (endAt < Number.POSITIVE_INFINITY && running.size === 0 && !isChanged) break
      else if (!isChanged) await changes.nextWithin(Math.min(maxWaitMs, endAt - monotonicNow(clock)), clock, signal)
    }
  } finally {
    parts.hintListeners.delete(onHint)
    await Promise.all(running.keys())
  }
}

/** Reports the work that is left after a call of `work`. */
export async function workLeft(
  integrations: IntegrationStore,
  integration: string | undefined,
  now: number,
): Promise<WorkReport> {
  if (integration === undefined) {
    const { due, nextAt } = await integrations.count(now)
    return { nextAt: due > 0 ? now : nextAt, remaining: due }
  }
  const nextAt = (await integrations.get(integration, now))?.dueAt ?? null
  return { nextAt, remaining: nextAt !== null && (nextAt <= now || isTooFarAhead(nextAt, now)) ? 1 : 0 }
}

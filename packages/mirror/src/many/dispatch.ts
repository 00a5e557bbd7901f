import { monotonicNow } from '@notewire/protocol'
import { Wakeup } from '../concurrency/wakeup.ts'
import { type IntegrationStore, RANKS, type TakenIntegration } from '../interfaces/integration-store.ts'
import { LEASE_MS } from './lease.ts'
import type { MirrorsSettings, WorkReport } from './mirrors-options.ts'
import type { SharedPauses } from './shared-pauses.ts'
import { doSlice } from './slice.ts'

/** How long a slice takes at most before it ends after the page, or the read, under way. In milliseconds. */
const SLICE_MS = 500

/** How often to look for what other processes have made due, in milliseconds. */
const LOOK_EVERY_MS = 500

/** How long to wait after an error of the store, in milliseconds. */
const AFTER_ERROR_MS = 5_000

/** The share of the workers that take hints only. */
const SHARE_FOR_HINTS = 1 / 4

/** What to do, and how much of it at once. */
export interface Dispatch {
  readonly settings: MirrorsSettings
  readonly pauses: SharedPauses
  readonly signal: AbortSignal
  readonly concurrency: number
  /** Called when this process hears a hint. */
  readonly onHint: Set<() => void>
  /** When to end; it also ends when nothing is due. Without it, it waits for what is due next. */
  readonly endAt?: number | undefined
  /** Works on this integration only. */
  readonly integration?: string | undefined
  /** Receives what the store throws. */
  readonly onError: (error: unknown) => void
}

/** Takes integrations that are due and does slices of their work, hints first, until the signal fires or the end is reached. */
export async function dispatch(parts: Dispatch): Promise<void> {
  const { settings, pauses, signal, concurrency, endAt = Number.POSITIVE_INFINITY, integration, onError } = parts
  const { store, clock } = settings
  const mostOthers = concurrency - Math.floor(concurrency * SHARE_FOR_HINTS)
  const running = new Map<Promise<void>, boolean>()
  const changes = new Wakeup()
  let hintWaits = false
  let isChanged = false

  const change = () => {
    isChanged = true
    changes.wake()
  }
  const hear = () => {
    hintWaits = true
    change()
  }
  parts.onHint.add(hear)

  async function take(): Promise<TakenIntegration | undefined> {
    if (running.size >= concurrency) return undefined
    hintWaits = false
    const others = [...running.values()].filter((isHint) => !isHint).length
    const now = clock.now()
    const most = others < mostOthers ? RANKS.scan : RANKS.hint
    return await store.integrations.take({ now, until: now + LEASE_MS, most, integration })
  }

  function start(taken: TakenIntegration): void {
    const isHint = taken.record.rank === RANKS.hint
    const endOfSlice = monotonicNow(clock) + SLICE_MS
    const isLate = () => monotonicNow(clock) >= endOfSlice || clock.now() >= endAt
    const isEnough = () => isLate() || (!isHint && hintWaits && running.size >= concurrency)
    const slice = doSlice(taken, { settings, pauses, signal, isEnough })
      .catch(onError)
      .then(() => {
        running.delete(slice)
        change()
      })
    running.set(slice, isHint)
  }

  try {
    while (!signal.aborted && clock.now() < endAt) {
      isChanged = false
      let longestMs = LOOK_EVERY_MS
      const taken = await take().catch((error) => {
        onError(error)
        longestMs = AFTER_ERROR_MS
        return undefined
      })
      if (taken !== undefined) start(taken)
      else if (endAt < Number.POSITIVE_INFINITY && running.size === 0 && !isChanged) break
      else if (!isChanged) await changes.nextWithin(Math.min(longestMs, endAt - clock.now()), clock, signal)
    }
  } finally {
    parts.onHint.delete(hear)
    await Promise.all(running.keys())
  }
}

/** What is left after a call of `work`. */
export async function workLeft(
  integrations: IntegrationStore,
  integration: string | undefined,
  now: number,
): Promise<WorkReport> {
  if (integration === undefined) {
    const { due, nextAt } = await integrations.count(now)
    return { nextAt: due > 0 ? now : nextAt, remaining: due }
  }
  const nextAt = (await integrations.get(integration))?.dueAt ?? null
  return { nextAt, remaining: nextAt !== null && nextAt <= now ? 1 : 0 }
}

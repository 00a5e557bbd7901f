import { RateLimitedError } from '@notewire/client'
import type { MirrorSettings } from './context/mirror-options.ts'
import type { Engine } from './engine.ts'
import { callHook } from './interfaces/mirror-hooks.ts'
import { ERASE_EVERY_MS } from './ledger/overdue-erasure.ts'
import { pauseAfter } from './rules/backoff.ts'
import { isFinal } from './service/failures.ts'

/** The longest time between two checks for notes that other processes have marked, in milliseconds. */
const LOOK_EVERY_MS = 5_000

/** The shortest time between two checks if no note could be settled: the due notes may be locked. In milliseconds. */
const LOOK_AGAIN_AFTER_MS = 1_000

/** The longest pause that a service can ask for, in milliseconds. */
const LONGEST_GRANTED_MS = 60 * 60_000

/** Keeps a mirror up to date until the signal fires. */
export async function run(engine: Engine, settings: MirrorSettings, signal: AbortSignal): Promise<void> {
  const { clock, hooks } = settings
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { settled, nextAt } = await engine.work({ signal })
      failures = 0
      const least = settled > 0 ? 0 : LOOK_AGAIN_AFTER_MS
      await engine.nextHint(Math.max(least, Math.min(nextAt - clock.now(), LOOK_EVERY_MS)), signal)
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) throw error
      callHook(hooks.onProblem, { error })
      await pause(Math.max(jittered(pauseAfter(failures)), wantedPause(error)), engine, settings, signal)
      failures += 1
    }
  }
}

/** The pause that the service asks for, in milliseconds. */
function wantedPause(error: unknown): number {
  const retryAfterMs = error instanceof RateLimitedError ? error.retryAfterMs : undefined
  return Math.min(retryAfterMs ?? 0, LONGEST_GRANTED_MS)
}

/** Sends no request for some time. Overdue notes are still erased. */
async function pause(ms: number, engine: Engine, { clock, hooks }: MirrorSettings, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && !signal.aborted; left -= ERASE_EVERY_MS) {
    await clock.sleep(Math.min(left, ERASE_EVERY_MS), signal).catch(() => undefined)
    if (left > ERASE_EVERY_MS) await engine.eraseOverdue().catch((error) => callHook(hooks.onProblem, { error }))
  }
}

/** Instances that started together should not send their requests together. */
function jittered(ms: number): number {
  return Math.round(ms * (0.8 + Math.random() * 0.4))
}

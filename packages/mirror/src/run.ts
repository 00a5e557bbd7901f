import type { MirrorSettings } from './context/mirror-options.ts'
import type { Engine } from './engine/engine.ts'
import { callHook } from './interfaces/mirror-hooks.ts'
import { ERASE_EVERY_MS } from './ledger/erasure.ts'
import { backoffAfter } from './rules/backoff.ts'
import { isFinal, requestedPause } from './service/failures.ts'

/** The longest time between two checks for notes that other processes have marked, in milliseconds. */
const CHECK_EVERY_MS = 5_000

/** The shortest time between two checks if no note could be settled, because the due notes may be locked. In milliseconds. */
const CHECK_AGAIN_AFTER_MS = 1_000

export async function run(engine: Engine, settings: MirrorSettings, signal: AbortSignal): Promise<void> {
  const { clock, hooks } = settings
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { settled, nextAt } = await engine.work({ signal })
      failures = 0
      const minMs = settled > 0 ? 0 : CHECK_AGAIN_AFTER_MS
      await engine.waitForHint(Math.max(minMs, Math.min(nextAt - clock.now(), CHECK_EVERY_MS)), signal)
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) throw error
      callHook(hooks.onProblem, { error })
      await pause(Math.max(jittered(backoffAfter(failures)), requestedPause(error)), engine, settings, signal)
      failures += 1
    }
  }
}

/** Pauses without sending requests. Overdue notes are still erased. */
async function pause(ms: number, engine: Engine, { clock, hooks }: MirrorSettings, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && !signal.aborted; left -= ERASE_EVERY_MS) {
    await clock.sleep(Math.min(left, ERASE_EVERY_MS), signal).catch(() => undefined)
    if (left > ERASE_EVERY_MS) await engine.eraseOverdue().catch((error) => callHook(hooks.onProblem, { error }))
  }
}

/** Adds jitter, so that instances that started together do not send their requests together. */
function jittered(ms: number): number {
  return Math.round(ms * (0.8 + Math.random() * 0.4))
}

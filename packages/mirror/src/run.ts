import type { Engine } from './engine.ts'
import { tell } from './mirror-hooks.ts'
import type { MirrorSettings } from './mirror-options.ts'
import { isFinal } from './refreshing/failures.ts'
import { pauseAfter } from './rules/patience.ts'

/** How long at most until notes are looked for that other processes have marked, in milliseconds. */
const LOOK_EVERY_MS = 5_000

/** Keeps a mirror up to date until the signal fires. */
export async function run(engine: Engine, { clock, hooks }: MirrorSettings, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { nextAt } = await engine.work({ signal })
      failures = 0
      await engine.nextHint(Math.max(0, Math.min(nextAt - clock.now(), LOOK_EVERY_MS)), signal)
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) throw error
      tell(hooks.onProblem, { error })
      await clock.sleep(jittered(pauseAfter(failures)), signal).catch(() => undefined)
      failures += 1
    }
  }
}

/** Instances that started together should not ask together. */
function jittered(ms: number): number {
  return Math.round(ms * (0.8 + Math.random() * 0.4))
}

import { monotonicNow } from '@notewire/protocol'
import type { MirrorSettings } from './context/mirror-options.ts'
import type { Engine } from './engine/engine.ts'
import type { Reporter } from './engine/reporter.ts'
import { callHook } from './interfaces/mirror-hooks.ts'
import { ERASE_EVERY_MS } from './ledger/erasure.ts'
import { needsAction } from './reporting/lines.ts'
import { backoffAfter } from './rules/backoff.ts'
import { isFinal, requestedPause } from './service/failures.ts'

/** The longest time between two checks for notes that other processes have marked, in milliseconds. */
const CHECK_EVERY_MS = 5_000

/** The shortest time between two checks if no note could be settled, because the due notes may be locked. In milliseconds. */
const CHECK_AGAIN_AFTER_MS = 1_000

export async function run(
  engine: Engine,
  settings: MirrorSettings,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<void> {
  const { hooks } = settings
  for (let failures = 0; !signal.aborted; ) {
    try {
      const listingError = await doRound(engine, settings, reporter, signal)
      if (listingError === undefined) failures = 0
      else {
        callHook(hooks.onProblem, { error: listingError })
        await readHinted(jittered(backoffAfter(failures)), engine, settings, signal)
        failures += 1
      }
    } catch (error) {
      if (signal.aborted) return
      await reporter.failed(error, !isFinal(error))
      if (isFinal(error)) throw error
      callHook(hooks.onProblem, { error })
      await pause(Math.max(jittered(pauseAfter(error, failures)), requestedPause(error)), engine, settings, signal)
      failures += 1
    }
  }
}

/** Works, and waits for the next work. @returns the error of a listing, without waiting, if it failed and other requests do not */
async function doRound(
  engine: Engine,
  { clock }: MirrorSettings,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<unknown> {
  const done = await engine.work({ signal })
  const { settled, nextAt, listingError } = done
  await reporter.ended(done, true)
  reporter.writeDue()
  if (listingError !== undefined) return listingError
  const minMs = settled > 0 ? 0 : CHECK_AGAIN_AFTER_MS
  await engine.waitForHint(Math.max(minMs, Math.min(nextAt - clock.now(), CHECK_EVERY_MS)), signal)
  return undefined
}

/** Reads due notes, and lists nothing. */
async function readHinted(ms: number, engine: Engine, { clock }: MirrorSettings, signal: AbortSignal): Promise<void> {
  const endAt = monotonicNow(clock) + ms
  for (let left = ms; left > 0 && !signal.aborted; left = endAt - monotonicNow(clock)) {
    await engine.settle({ signal })
    await engine.waitForHint(Math.min(left, CHECK_EVERY_MS), signal)
  }
}

/** Pauses without sending requests. Overdue notes are still erased. */
async function pause(ms: number, engine: Engine, { clock, hooks }: MirrorSettings, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && !signal.aborted; left -= ERASE_EVERY_MS) {
    await clock.sleep(Math.min(left, ERASE_EVERY_MS), signal).catch(() => undefined)
    if (left > ERASE_EVERY_MS) await engine.eraseOverdue().catch((error) => callHook(hooks.onProblem, { error }))
  }
}

/** The pause after a number of failures in a row, in milliseconds: five minutes at most, or an hour if the service refuses the key. */
function pauseAfter(error: unknown, failures: number): number {
  return backoffAfter(failures) * (needsAction(error) ? 12 : 1)
}

/** Adds jitter, so that instances that started together do not send their requests together. */
function jittered(ms: number): number {
  return Math.round(ms * (0.8 + Math.random() * 0.4))
}

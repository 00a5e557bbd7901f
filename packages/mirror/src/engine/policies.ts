import { MAX_PAUSE_MS } from '../integrations/integration-store.ts'
import { jittered } from './timing.ts'
import type { Policy } from './work-settings.ts'

const HOUR_MS = 60 * 60_000

/** The policy of `createMirrors`. */
export function policyOfMany(pollEveryMs: number): Policy {
  return {
    isSingle: false,
    noteConcurrency: 8,
    spread: jittered,
    longestPollEveryMs: Math.max(HOUR_MS, pollEveryMs),
    longestPauseMs: MAX_PAUSE_MS,
    checkEveryMs: 500,
    consumersIdleMs: 30_000,
    parks: true,
  }
}

/** The policy of `createMirror`: it polls when the user has said, and never gives a key up. */
export function policyOfOne(pollEveryMs: number, noteConcurrency: number): Policy {
  return {
    isSingle: true,
    noteConcurrency,
    spread: (ms) => ms,
    longestPollEveryMs: pollEveryMs,
    longestPauseMs: HOUR_MS,
    checkEveryMs: 5_000,
    consumersIdleMs: 1_000,
    parks: false,
  }
}

import { describe, expect, it } from 'vitest'
import type { IntegrationRecord, ParkedBecause } from '../integrations/integration-store.ts'
import { newIntegration } from '../rules/schedule-rule.ts'
import { isProbeDue, park, postponeProbe } from './parking.ts'

const NOW = 1_760_000_000_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

function parked(parkedBecause: ParkedBecause | null, failures: number): IntegrationRecord {
  const state = parkedBecause === null ? 'active' : 'parked'
  return { ...newIntegration('acme', 'first', NOW), state, parkedBecause, failures }
}

/** When the next probe is, at the latest; it can be a fifth earlier. */
const latest = ({ pausedUntil }: IntegrationRecord) =>
  [HOUR, DAY].find((ms) => pausedUntil !== null && pausedUntil - NOW <= ms && pausedUntil - NOW >= 0.8 * ms)

describe('the next probe of an integration', () => {
  it.each([
    ['active', null, 0, 0, HOUR],
    ['active, and failing for another reason', null, 5, 0, HOUR],
    ['parked, and never probed', 'key_refused', 0, 1, DAY],
    ['parked, and probed 30 times', 'key_refused', 30, 31, DAY],
    ['parked for another reason', 'key_changed', 0, 0, HOUR],
  ] as const)('that was %s, and is refused', (_which, because, before, failures, probe) => {
    const next = park(parked(because, before), 'key_refused', NOW)
    expect(next).toMatchObject({ state: 'parked', parkedBecause: 'key_refused', failures })
    expect(latest(next)).toBe(probe)
    expect(isProbeDue(next, NOW)).toBe(false)
    expect(isProbeDue(next, next.pausedUntil ?? 0)).toBe(true)
  })

  it.each(['key_changed', 'key_shared'] as const)('does not exist if it is parked because of %s', (because) => {
    const next = park(parked('key_refused', 3), because, NOW)
    expect(next).toMatchObject({ state: 'parked', parkedBecause: because, failures: 0, pausedUntil: null })
    expect(isProbeDue(next, NOW + DAY)).toBe(false)
  })

  it('is an hour later if the probe failed for another reason', () => {
    const next = postponeProbe(parked('key_refused', 3), 0, NOW)
    expect(next).toMatchObject({ state: 'parked', parkedBecause: 'key_refused', failures: 3 })
    expect(latest(next)).toBe(HOUR)
    expect(postponeProbe(next, 2 * HOUR, NOW).pausedUntil).toBe(NOW + 2 * HOUR)
  })

  it.each([
    ['a day', { pausedUntil: NOW + DAY + 11 * 60_000 }],
    ['the pause', { pausedUntil: NOW + HOUR + 11 * 60_000, pauseMs: HOUR }],
  ])('is due if a wrong clock wrote a time that is further ahead than %s', (_what, pause) => {
    expect(isProbeDue({ ...parked('key_refused', 0), ...pause }, NOW)).toBe(true)
  })
})

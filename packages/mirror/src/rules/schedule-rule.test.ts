import { describe, expect, it } from 'vitest'
import { type IntegrationRecord, MAX_WAIT_MS, RANKS } from '../integrations/integration-store.ts'
import { ERASE_WITHIN_MS } from '../notes/note-state.ts'
import { added, finished, hurried, isDue, newIntegration, nextAt, removed, resumed, woken } from './schedule-rule.ts'

const NOW = 1_000_000_000
const IDLE: IntegrationRecord = {
  ...newIntegration('acme', 'first', NOW + 500),
  rank: RANKS.poll,
  token: 3,
  version: 7,
}
const LEASED = { ...IDLE, leaseUntil: NOW + 60_000 }
const PARKED = { ...IDLE, state: 'parked', parkedBecause: 'key_refused', pausedUntil: NOW + 9_000 } as const
const REMOVING = { ...IDLE, state: 'removing', dueAt: NOW, pausedUntil: null } as const

describe('added', () => {
  const next = newIntegration('acme', 'second', NOW)

  it.each([
    ['nothing', undefined, next],
    ['an active integration', IDLE, IDLE],
    ['a parked integration', PARKED, PARKED],
    ['a removal that erases content', REMOVING, REMOVING],
    ['a removal that waits for consumers', { ...REMOVING, pausedUntil: NOW }, { ...next, version: 7, token: 3 }],
  ])('after %s', (_name, known, expected) => {
    expect(added(known, next)).toEqual(expected)
  })
})

describe('finished', () => {
  const work = { ...IDLE, dueAt: NOW + 300_000, rank: RANKS.fullListing, failures: 2 }
  const end = { ...LEASED, leaseUntil: null, failures: 2 }

  it('writes the schedule and ends the lease', () => {
    expect(finished(LEASED, work, { taken: LEASED, now: NOW })).toEqual({
      ...end,
      dueAt: NOW + 300_000,
      rank: RANKS.fullListing,
    })
  })

  it('keeps what the worker does not decide: the key, the generation and the token', () => {
    const record = { ...LEASED, keyPrint: 'key', token: 9, generation: 'other' }
    expect(finished(record, work, { taken: LEASED, now: NOW })).toMatchObject({
      ...{ keyPrint: 'key', token: 9, generation: 'other' },
    })
  })

  it.each([
    ['an active integration is due now', {}, NOW],
    ['a paused integration is due after its pause', { pausedUntil: NOW + 5_000 }, NOW + 5_000],
    ['the end of a pause that has passed does not count', { pausedUntil: NOW - 5_000 }, NOW],
    ['a parked integration erases what the hint hid', { ...PARKED, pausedUntil: null }, NOW + ERASE_WITHIN_MS],
    ['a parked integration probes its key if that is earlier', PARKED, NOW + 9_000],
  ])('after a hint, %s', (_name, next, dueAt) => {
    const after = finished({ ...LEASED, hints: 4 }, { ...work, ...next }, { taken: { ...LEASED, hints: 3 }, now: NOW })
    expect(after).toMatchObject({ dueAt, rank: RANKS.hint, hints: 4, leaseUntil: null })
  })
})

describe('hurried', () => {
  it.each([
    ['without a pause, now', { dueAt: NOW + 500 }, NOW],
    ['in a pause, at its end', { dueAt: NOW + 60_000, pausedUntil: NOW + 9_000 }, NOW + 9_000],
    ['after a pause, now', { dueAt: NOW + 60_000, pausedUntil: NOW - 1 }, NOW],
    ['in a pause with earlier work, then', { dueAt: NOW + 1_000, pausedUntil: NOW + 9_000 }, NOW + 1_000],
    ['if it is overdue, as before', { dueAt: NOW - 1 }, NOW - 1],
  ])('is due %s', (_name, given, dueAt) => {
    const record = { ...IDLE, failures: 3, ...given }
    expect(hurried(record, NOW)).toEqual({ ...record, dueAt, hints: IDLE.hints + 1 })
  })

  it.each([PARKED, REMOVING])('does not change an integration that is not active', (record) => {
    expect(hurried(record, NOW)).toBe(record)
  })
})

describe('woken', () => {
  it('makes an active integration due now, ends its pause, and counts as a hint', () => {
    const after = { ...LEASED, hints: 1, dueAt: NOW }
    expect(woken({ ...LEASED, failures: 3, pausedUntil: NOW + 9_000 }, NOW)).toEqual(after)
  })

  it.each([
    [NOW - 5, NOW - 5],
    [NOW + 5, NOW],
    [null, NOW],
  ])('changes the due time %s to %s', (dueAt, expected) => {
    expect(woken({ ...IDLE, dueAt }, NOW).dueAt).toBe(expected)
  })

  it.each([PARKED, REMOVING])('leaves a $state integration', (record) => {
    expect(woken(record, NOW)).toBe(record)
  })
})

describe('resumed', () => {
  it('makes a parked integration active and due, and ends every lease', () => {
    const probing = { ...PARKED, leaseUntil: NOW + 60_000, failures: 4 }
    const active = { state: 'active', parkedBecause: null, dueAt: NOW, failures: 0, pausedUntil: null }
    expect(resumed(probing, NOW)).toEqual({ ...IDLE, ...active, token: 4 })
  })

  it.each([LEASED, REMOVING])('leaves an integration that is $state', (record) => {
    expect(resumed(record, NOW)).toBe(record)
  })
})

describe('removed', () => {
  it('begins another generation without key and endpoint', () => {
    const record = { ...LEASED, keyPrint: 'key', hints: 2 }
    const begun = { ...newIntegration('acme', 'second', NOW), state: 'removing', version: 7, hints: 2, token: 3 }
    expect(removed(record, 'second', NOW)).toEqual(begun)
  })

  it('leaves a removal that has begun', () => {
    expect(removed(REMOVING, 'second', NOW)).toBe(REMOVING)
  })
})

describe('when work is due', () => {
  it.each([
    ['never', { dueAt: null }, null, false],
    ['later', { dueAt: NOW + 1 }, NOW + 1, false],
    ['now', { dueAt: NOW }, NOW, true],
    ['when the lease ends', { dueAt: NOW, leaseUntil: NOW + 60_000 }, NOW + 60_000, false],
    ['now, because the lease has ended', { dueAt: NOW, leaseUntil: NOW }, NOW, true],
    ['at a time that a wrong clock wrote', { dueAt: NOW + MAX_WAIT_MS + 1 }, NOW + MAX_WAIT_MS + 1, true],
    [
      'not at such a time while a worker has it',
      { dueAt: NOW + MAX_WAIT_MS + 1, leaseUntil: NOW + 30_000 },
      NOW + MAX_WAIT_MS + 1,
      false,
    ],
    ['in a day', { dueAt: NOW + MAX_WAIT_MS }, NOW + MAX_WAIT_MS, false],
  ])('%s', (_name, change, at, due) => {
    const record = { ...IDLE, ...change }
    expect([nextAt(record, NOW), isDue(record, NOW)]).toEqual([at, due])
  })
})

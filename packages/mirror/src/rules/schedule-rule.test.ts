import { describe, expect, it } from 'vitest'
import { type IntegrationRecord, MAX_PAUSE_MS, MAX_WAIT_MS, RANKS } from '../integrations/integration-store.ts'
import { ERASE_WITHIN_MS } from '../notes/note-state.ts'
import {
  added,
  asked,
  finished,
  hurried,
  isDue,
  isFree,
  isPaused,
  madeSingle,
  newIntegration,
  nextAt,
  removed,
  resumed,
  woken,
} from './schedule-rule.ts'

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

  it('takes over the copy of createMirror, and is due now', () => {
    const single = { ...IDLE, isSingle: true } as const
    expect(added(single, next)).toEqual({ ...IDLE, hints: 1, dueAt: NOW })
    expect(added(single, next)).not.toHaveProperty('isSingle')
  })
})

describe('newIntegration', () => {
  it('is an active integration that has a backfill to do and that nobody has taken', () => {
    expect(newIntegration('acme', 'first', NOW)).toEqual({
      ...{ integration: 'acme', generation: 'first', state: 'active', dueAt: NOW, rank: RANKS.backfill },
      ...{ version: 0, hints: 0, token: 0, failures: 0 },
      ...{
        parkedBecause: null,
        leaseUntil: null,
        pausedUntil: null,
        keyPrint: null,
        pollEveryMs: null,
        endpoint: null,
      },
    })
  })
})

describe('madeSingle', () => {
  it('marks a new row of createMirror', () => {
    expect(madeSingle(undefined, IDLE)).toEqual({ ...IDLE, isSingle: true })
  })

  it('leaves the row of an integration that exists', () => {
    expect(madeSingle(PARKED, IDLE)).toBe(PARKED)
  })
})

describe('isPaused', () => {
  const CLOCKS_DIFFER_BY_MS = 10 * 60_000

  it.each([
    ['without a pause', {}, false],
    ['at the end of the pause', { pausedUntil: NOW }, false],
    ['before the end', { pausedUntil: NOW + 1 }, true],
    ['if it begins in ten minutes', { pausedUntil: NOW + 5000 + CLOCKS_DIFFER_BY_MS, pauseMs: 5000 }, true],
    ['if it begins later, by a wrong clock', { pausedUntil: NOW + 5001 + CLOCKS_DIFFER_BY_MS, pauseMs: 5000 }, false],
    ['of unknown length', { pausedUntil: NOW + MAX_PAUSE_MS + CLOCKS_DIFFER_BY_MS }, true],
    ['of unknown length, longer than any', { pausedUntil: NOW + MAX_PAUSE_MS + CLOCKS_DIFFER_BY_MS + 1 }, false],
  ])('%s: %s', (_name, given, expected) => {
    expect(isPaused({ ...IDLE, ...given }, NOW)).toBe(expected)
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

describe('asked', () => {
  it.each([
    ['a poll', ['poll'], { pollAskedAt: NOW }],
    ['a full listing', ['full-listing'], { fullListingAskedAt: NOW }],
    ['both', ['poll', 'full-listing'], { pollAskedAt: NOW, fullListingAskedAt: NOW }],
  ] as const)('requests %s, which makes the integration due', (_name, what, requests) => {
    expect(asked(IDLE, what, NOW)).toStrictEqual({ ...IDLE, ...requests, hints: 1, dueAt: NOW })
  })

  it('gives each request another time', () => {
    const before = { ...IDLE, pollAskedAt: NOW, fullListingAskedAt: NOW + 5 }
    const after = { pollAskedAt: NOW + 1, fullListingAskedAt: NOW + 6 }
    expect(asked(before, ['poll', 'full-listing'], NOW)).toMatchObject(after)
  })

  it('is kept by a parked integration', () => {
    expect(asked(PARKED, ['poll'], NOW)).toEqual({ ...PARKED, pollAskedAt: NOW })
  })

  it.each(['pollAskedAt', 'fullListingAskedAt'] as const)('ends with the work that began after it: %s', (request) => {
    const taken = { ...LEASED, [request]: NOW }
    expect(finished(taken, IDLE, { taken, now: NOW })).toStrictEqual({ ...LEASED, leaseUntil: null })
    expect(finished({ ...taken, [request]: NOW + 1 }, IDLE, { taken, now: NOW })).toHaveProperty(request, NOW + 1)
    expect(finished(taken, taken, { taken, now: NOW })).toHaveProperty(request, NOW)
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
    expect(woken({ ...LEASED, failures: 3, pausedUntil: NOW + 9_000, listAt: NOW + 5 }, NOW)).toStrictEqual(after)
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

describe('whether a worker has an integration', () => {
  it.each([
    ['nobody has taken it', null, true],
    ['the lease ends later', NOW + 1, false],
    ['the lease ends now', NOW, true],
    ['a wrong clock wrote the lease', NOW + MAX_WAIT_MS + 1, true],
  ])('if %s', (_name, leaseUntil, expected) => {
    expect(isFree({ ...IDLE, leaseUntil }, NOW)).toBe(expected)
  })
})

describe('when work is due', () => {
  it.each([
    ['never', { dueAt: null }, null, false],
    ['never, although a worker has it', { dueAt: null, leaseUntil: NOW + 60_000 }, null, false],
    ['later', { dueAt: NOW + 1 }, NOW + 1, false],
    ['now', { dueAt: NOW }, NOW, true],
    ['when the lease ends', { dueAt: NOW, leaseUntil: NOW + 60_000 }, NOW + 60_000, false],
    ['earlier, because the lease has ended', { dueAt: NOW - 5, leaseUntil: NOW }, NOW - 5, true],
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

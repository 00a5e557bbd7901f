import { describe, expect, it } from 'vitest'
import { parseTime } from './time.ts'

describe('a time of the service', () => {
  it.each([
    ['2026-01-01T09:00:00Z', Date.UTC(2026, 0, 1, 9)],
    ['2026-01-01T09:00:00.250Z', Date.UTC(2026, 0, 1, 9, 0, 0, 250)],
    ['2026-01-01T09:00:00.250999Z', Date.UTC(2026, 0, 1, 9, 0, 0, 250)],
    ['2026-01-01T09:00:00,250Z', Date.UTC(2026, 0, 1, 9, 0, 0, 250)],
    ['2026-01-01T09:00Z', Date.UTC(2026, 0, 1, 9)],
    ['2026-01-01T10:00:00+01:00', Date.UTC(2026, 0, 1, 9)],
    ['1969-12-31T23:59:59Z', -1_000],
  ])('%s is read', (text, time) => expect(parseTime(text)).toBe(time))

  it.each([
    undefined,
    null,
    1_767_258_000_000,
    '',
    'yesterday',
    '1',
    '2026-01-01',
    '2026-01-01T09:00:00',
    '2026-13-01T09:00:00Z',
    '2026-02-30T09:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01 09:00:00Z',
    '2026-01-01T09:00:00Z, about',
    ' 2026-01-01T09:00:00Z',
  ])('%j is not', (text) => expect(parseTime(text)).toBeUndefined())
})

import { describe, expect, it } from 'vitest'
import { SharedPauses } from './shared-pauses.ts'

const URL = 'https://notes.example'

/** The pauses after a service has refused integrations, each at a time in milliseconds. */
function refusedAt(times: readonly number[]): SharedPauses {
  const pauses = new SharedPauses()
  for (const [index, time] of times.entries()) pauses.recordRefusal(URL, `customer-${index}`, time)
  return pauses
}

const TEN_AT_ONCE = Array.from({ length: 10 }, () => 0)

describe('the pause of a service', () => {
  it.each([
    ['nine integrations', TEN_AT_ONCE.slice(1), 0, 0],
    ['ten integrations', TEN_AT_ONCE, 0, 60_000],
    ['ten integrations within a minute', TEN_AT_ONCE.map((_, index) => index * 6_000), 54_000, 114_000],
    ['ten integrations within more than a minute', TEN_AT_ONCE.map((_, index) => index * 7_000), 63_000, 0],
    ['more integrations during the pause', [...TEN_AT_ONCE, 5_000], 5_000, 60_000],
    ['more integrations after the pause', [...TEN_AT_ONCE, ...TEN_AT_ONCE.map(() => 60_000)], 60_000, 120_000],
  ])('after refusals of %s', (_which, times, now, pausedUntil) => {
    const pauses = refusedAt(times)
    const remainingMs = pausedUntil - now
    expect(pauses.list(now)).toEqual(pausedUntil > 0 ? [{ baseUrl: URL, remainingMs }] : [])
    expect(pauses.admit(URL, now) > 0).toBe(pausedUntil > 0)
  })

  it('does not begin because one integration is refused often', () => {
    const pauses = new SharedPauses()
    for (const time of TEN_AT_ONCE) pauses.recordRefusal(URL, 'noisy', time)
    expect(pauses.admit(URL, 0)).toBe(0)
  })

  it('lets one integration probe every ten seconds, and the others wait for their turn or its end', () => {
    const pauses = refusedAt(TEN_AT_ONCE)
    const times = [0, 0, 0, 0, 0, 0, 1_000, 10_000, 10_000, 11_000, 20_000, 59_000, 59_500, 60_000]
    const waits = times.map((now) => pauses.admit(URL, now))
    expect(waits).toEqual([
      ...[10_000, 20_000, 30_000, 40_000, 50_000, 60_000],
      ...[59_000, 0, 50_000, 49_000, 0, 0, 500, 0],
    ])
  })
})

it('pauses no other service, ends a pause when the service answers, and then needs ten refusals again', () => {
  const pauses = new SharedPauses()
  const refuse = (count: number) =>
    Array.from({ length: count }, (_, index) => pauses.recordRefusal(URL, `customer-${index}`, 0))
  expect(refuse(11)).toEqual([...Array.from({ length: 9 }, () => undefined), 60_000, undefined])
  expect(pauses.admit('https://other.example', 0)).toBe(0)
  expect(pauses.list(0)).toEqual([{ baseUrl: URL, remainingMs: 60_000 }])
  expect(pauses.list(60_000)).toEqual([])
  pauses.recordAnswer(URL)
  expect(pauses.list(0)).toEqual([])
  expect(refuse(9).at(-1)).toBeUndefined()
  expect(pauses.admit(URL, 0)).toBe(0)
})

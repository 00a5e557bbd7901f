import { expect, it } from 'vitest'
import { stretch } from './delivery-attempts.ts'
import { instant } from './page.ts'

it.each([
  [0, '0 ms'],
  [240, '240 ms'],
  [30_000, '30 s'],
  [300_000, '5 min'],
  [43_200_000, '12 h'],
  [95_800_000, '27 h'],
])('writes %i ms as %s', (ms, text) => expect(stretch(ms)).toBe(text))

it('shows an instant in UTC, with the milliseconds in its tooltip', async () => {
  expect(String(await instant(Date.UTC(2026, 0, 1, 9, 5, 7, 42)))).toBe(
    '<time datetime="2026-01-01T09:05:07.042Z" title="2026-01-01T09:05:07.042Z">1 Jan 09:05:07 UTC</time>',
  )
})

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { apiReport, packages, placeOf } from './api-reports/report.ts'

it('finds every package that can be imported, which is all but the command line', () => {
  expect(packages).toEqual(['client', 'mirror', 'mock-server', 'protocol', 'webhooks'])
})

// `npm run build && npm run api:write` writes them; the difference then shows in the review.
it.each(packages)('what %s promises is what its report says', async (name) => {
  expect(apiReport(name)).toBe(await readFile(placeOf(name), 'utf8'))
})

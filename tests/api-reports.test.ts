import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { apiReport, packages, placeOf } from './api-reports/report.ts'

it('finds every package that can be imported: all except the command line', () => {
  expect(packages).toEqual(['client', 'mirror', 'mock-server', 'protocol', 'storage', 'webhooks'])
})

// `npm run fix` writes the reports, so that a review shows changes of the API.
it.each(packages)('the API report of %s is up to date', async (name) => {
  expect(apiReport(name), 'out of date: run `npm run fix`').toBe(await readFile(placeOf(name), 'utf8'))
})

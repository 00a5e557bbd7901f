import { expect, it } from 'vitest'
import { bundledKilobytes, SIZE_BUDGETS } from '../benchmarks/src/sizes.ts'

it.each(Object.entries(SIZE_BUDGETS))('%s keeps to its size in a bundle', async (_entry, { code, kilobytes }) => {
  const weight = await bundledKilobytes(code)
  // A bundle of nothing would keep to any budget.
  expect(weight).toBeGreaterThan(1)
  expect(weight).toBeLessThanOrEqual(kilobytes)
})

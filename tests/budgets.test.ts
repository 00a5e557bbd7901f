import { describe, expect, it } from 'vitest'
import { publishedEntries } from '../benchmarks/src/published-entries.ts'
import { bundledKilobytes, SIZE_BUDGETS } from '../benchmarks/src/sizes.ts'
import { instantiationBudget } from '../benchmarks/src/type-checks.ts'
import { typeCostOf } from '../benchmarks/src/type-cost.ts'

it.each(Object.entries(SIZE_BUDGETS))('%s keeps to its size in a bundle', async (_entry, { code, kilobytes }) => {
  const weight = await bundledKilobytes(code)
  // A bundle of nothing would keep to any budget.
  expect(weight).toBeGreaterThan(1)
  expect(weight).toBeLessThanOrEqual(kilobytes)
})

describe.each(await publishedEntries())('$name, as it is built', (entry) => {
  it('costs the type checker no more than it may', () => {
    const { instantiations, types } = typeCostOf(entry)
    // Declarations of nothing would keep to any budget. One function of global types adds no type.
    if (entry.name !== '@notewire/client/node-fetch') expect(types).toBeGreaterThan(1)
    expect(instantiations).toBeLessThanOrEqual(instantiationBudget(entry.name))
  })
})

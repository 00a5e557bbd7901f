import { describe, expect, it } from 'vitest'
import { publishedEntries } from '../benchmarks/src/published-entries.ts'
import { bundledKilobytes, SIZE_BUDGETS } from '../benchmarks/src/sizes.ts'
import { instantiationBudget } from '../benchmarks/src/type-checks.ts'
import { typeCostOf } from '../benchmarks/src/type-cost.ts'

it.each(Object.entries(SIZE_BUDGETS))(
  '%s stays within its size budget in a bundle',
  async (_entry, { code, kilobytes }) => {
    const weight = await bundledKilobytes(code)
    // An empty bundle would stay within any budget.
    expect(weight).toBeGreaterThan(1)
    expect(weight).toBeLessThanOrEqual(kilobytes)
  },
)

describe.each(await publishedEntries())('the built $name', (entry) => {
  it('stays within its budget of type instantiations', () => {
    const { instantiations, types } = typeCostOf(entry)
    // Empty declarations would stay within any budget. One function of global types adds no type.
    if (entry.name !== '@notewire/client/node-fetch') expect(types).toBeGreaterThan(1)
    expect(instantiations).toBeLessThanOrEqual(instantiationBudget(entry.name))
  })
})

import { mediansTurnByTurn } from './measure.ts'
import { peerEntry, publishedEntries } from './published-entries.ts'
import type { Table } from './report.ts'
import { type TypeCost, typeCostOf } from './type-cost.ts'

const ROUNDS = 5
const PEERS = ['hono', 'stripe', 'fastify']

const BUDGET = 500
const EXCEPTIONS: Readonly<Record<string, number>> = {
  // All but 200 come from the library that the entry uses: msw, Fastify, zod.
  '@notewire/mock-server': 5_000,
  '@notewire/webhooks/fastify': 35_000,
  '@notewire/protocol/schemas': 50_000,
}

/** The limit of the type instantiations of an import. */
export function instantiationBudget(name: string): number {
  return EXCEPTIONS[name] ?? BUDGET
}

/** Measures the cost of each import for the type checker. The packages must have been built. */
export async function measureTypeChecks(): Promise<readonly Table[]> {
  const entries = [...(await publishedEntries()), ...PEERS.map(peerEntry)]
  const costs = new Map(entries.map((entry) => [entry.name, typeCostOf(entry)]))
  const milliseconds = await mediansTurnByTurn(
    Object.fromEntries(entries.map((entry) => [entry.name, () => typeCostOf(entry).checkMs])),
    ROUNDS,
  )
  const counted = (count: (cost: TypeCost) => number) =>
    Object.fromEntries([...costs].map(([name, cost]) => [name, count(cost)]))
  const note = 'What `tsc --extendedDiagnostics` counts beyond an empty module, with library checks on. Ratios to hono.'
  return [
    tableOf(
      { title: 'Checking the types of an import: type instantiations', unit: 'instantiations', note },
      counted((cost) => cost.instantiations),
      instantiationBudget,
    ),
    tableOf(
      { title: 'Checking the types of an import: types', unit: 'types', note },
      counted((cost) => cost.types),
    ),
    tableOf(
      {
        title: 'Checking the types of an import: time',
        unit: 'ms',
        note: 'Beyond an empty module, in a compiler that has checked others before. Ratios to hono.',
      },
      milliseconds,
    ),
  ]
}

function tableOf(
  head: Omit<Table, 'rows'>,
  values: Readonly<Record<string, number>>,
  budgetOf?: (name: string) => number,
): Table {
  const hono = values['hono'] ?? Number.NaN
  const rows = Object.entries(values).map(([name, value]) => {
    const row = { name, value, ratio: value / hono }
    if (PEERS.includes(name)) return row
    return { ...row, name: `notewire: ${name}`, ...(budgetOf && { budget: budgetOf(name) }) }
  })
  return { ...head, rows }
}

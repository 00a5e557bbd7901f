import { mergeOtherEntries } from './main-entries.ts'
import { mediansTurnByTurn } from './measure.ts'
import { peerEntry, publishedEntries } from './published-entries.ts'
import type { Row, Table } from './report.ts'
import { typeCostOf } from './type-cost.ts'

const ROUNDS = 3
const PEERS = ['stripe', 'fastify']

const BUDGET = 660
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
  return [
    {
      title: 'How much work is an import for the type checker?',
      unit: '',
      note: 'Counted by `tsc --extendedDiagnostics` for a module with one import, minus an empty module, with library checks on.',
      rows: mergeOtherEntries(
        [...costs].flatMap(([name, { instantiations, types }]): readonly Row[] => [
          {
            name,
            column: 'instantiations',
            value: instantiations,
            ...(PEERS.includes(name) ? {} : { budget: instantiationBudget(name) }),
          },
          { name, column: 'types', value: types },
          { name, column: 'ms', value: milliseconds[name] ?? Number.NaN },
        ]),
        (name) => PEERS.includes(name) || name in EXCEPTIONS,
      ),
    },
  ]
}

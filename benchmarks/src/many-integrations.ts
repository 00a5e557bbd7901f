import { createReceiver } from '@notewire/webhooks'
import { SECRET, type SignedDelivery, signDeliveries } from './deliveries.ts'
import { measureTurnByTurn } from './measure.ts'
import type { Table } from './report.ts'
import { askProgram, startProgram } from './start-program.ts'

const INTEGRATIONS = 10_000
const DISTINCT = 512

/** What a receiver of many integrations costs more than one of one: the time of an event, and the memory of a secret. */
export async function measureManyIntegrations(): Promise<readonly Table[]> {
  return [await timeOfAnEvent(), await memoryOfASecret()]
}

async function timeOfAnEvent(): Promise<Table> {
  const deliveries = signDeliveries(DISTINCT, 330)
  const sink = async () => undefined
  const one = createReceiver({ secret: SECRET, sink })
  const many = createReceiver({ secret: (_integration) => SECRET, sink })
  const ids = Array.from({ length: INTEGRATIONS }, (_, index) => `integration-${index}`)
  const attempt = (turn: number, integration: string) => attemptOf(deliveries[turn % DISTINCT], integration)
  for (const [turn, id] of ids.entries()) await many.respond(attempt(turn, id))
  const at = (turn: number) => ids[turn % INTEGRATIONS] ?? ''
  const nanoseconds = await measureTurnByTurn(
    {
      'one integration': (turn) => one.respond(attempt(turn, at(turn))),
      'ten thousand, in turn': (turn) => many.respond(attempt(turn, at(turn))),
    },
    { rounds: 15, operations: INTEGRATIONS },
  )
  const alone = (nanoseconds['one integration'] ?? Number.NaN) / 1_000
  const budgets: Readonly<Record<string, number>> = { 'ten thousand, in turn': alone + 2 }
  return {
    title: `A verified event, by a receiver of one integration and of ${INTEGRATIONS}`,
    unit: 'µs',
    note: 'In one process, without a socket: headers, signature, parsing, and an empty sink. Secrets are cached. Budget: 2 µs more.',
    rows: Object.entries(nanoseconds).map(([name, value]) => {
      const budget = budgets[name]
      return { name, value: value / 1_000, ratio: value / 1_000 / alone, ...(budget === undefined ? {} : { budget }) }
    }),
  }
}

async function memoryOfASecret(): Promise<Table> {
  const program = await startProgram<string>('memory-of-secrets.ts')
  const bytes = await askProgram<number>(program.process, 'how much')
  program.process.kill()
  return {
    title: 'Memory of a cached signing secret of an integration',
    unit: 'kB',
    note: 'Heap and native memory of a process, of which each of 100,000 secrets has its share. Secrets are kept for 60 s after they were asked for; the key of one that is not used any more goes with 10,000 others.',
    rows: [{ name: 'one integration', value: bytes / 1_024, ratio: 1, budget: 1 }],
  }
}

/** A delivery as an adapter presents it. */
export function attemptOf(delivery: SignedDelivery | undefined, integration: string) {
  const { headers, body } = delivery ?? neverEmpty()
  const reading = { status: 'read', bytes: body } as const
  return { method: 'POST', path: '/', headers, integration, readBody: async () => reading }
}

function neverEmpty(): never {
  throw new Error('no deliveries were signed')
}

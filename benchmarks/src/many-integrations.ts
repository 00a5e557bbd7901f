import { createReceiver, type Receiver } from '@notewire/webhooks'
import { attemptOf, SECRET, signDeliveries } from './deliveries.ts'
import { mediansTurnByTurn } from './measure.ts'
import type { Table } from './report.ts'
import { askProgram, startProgram } from './start-program.ts'

const INTEGRATIONS = 10_000
const DISTINCT = 512

/** Measures the additional cost of a receiver of many integrations: time per event, and memory per secret. */
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
  const processorTime = (receiver: Pick<Receiver, 'respond'>) => async () => {
    const before = process.cpuUsage()
    for (const [turn, id] of ids.entries()) await receiver.respond(attempt(turn, id))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / INTEGRATIONS
  }
  const contenders = { 'one integration': processorTime(one), 'ten thousand, in turn': processorTime(many) }
  await mediansTurnByTurn(contenders, 3) // These rounds only warm up.
  const microseconds = await mediansTurnByTurn(contenders, 31)
  const alone = microseconds['one integration'] ?? Number.NaN
  const budgets: Readonly<Record<string, number>> = { 'ten thousand, in turn': alone + 2 }
  return {
    title: `A verified event, by a receiver of one integration and of ${INTEGRATIONS}`,
    unit: 'µs',
    note: 'Processor time, without a socket: headers, signature, parsing, and an empty sink. Secrets are cached. Budget: 2 µs more.',
    rows: Object.entries(microseconds).map(([name, value]) => {
      const budget = budgets[name]
      return { name, value, ratio: value / alone, ...(budget === undefined ? {} : { budget }) }
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
    note: 'Heap and native memory of a process that holds 100,000 secrets in ten receivers, for each secret.',
    rows: [{ name: 'one integration', value: bytes / 1_024, ratio: 1, budget: 1 }],
  }
}

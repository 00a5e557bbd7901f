import { createReceiver, createReceivers, type Receivers } from '@notewire/webhooks'
import { attemptOf, SECRET, signDeliveries } from './deliveries.ts'
import { mediansTurnByTurn } from './measure.ts'
import { comparedWith, type Table } from './report.ts'
import { askProgram, startProgram } from './start-program.ts'

const INTEGRATIONS = 10_000
const DISTINCT = 512
const ONE = 'one integration'
const MANY = '10,000 integrations'
/** Our limits: additional time of an event, and memory of a secret. */
const BUDGETS = { microseconds: 2, kilobytes: 1 }

/** Measures the additional cost of a receiver of many integrations: time per event, and memory per secret. */
export async function measureManyIntegrations(): Promise<readonly Table[]> {
  const microseconds = await timeOfAnEvent()
  return [
    {
      title: 'What do 10,000 integrations cost a receiver?',
      unit: '',
      note: 'Processor time of a verified event, without a socket. Memory is that of a cached secret.',
      rows: [
        ...comparedWith(ONE, microseconds, (name) => ({
          column: 'an event, µs',
          ...(name === MANY && { budget: (microseconds[ONE] ?? Number.NaN) + BUDGETS.microseconds }),
        })),
        { name: 'one secret', column: 'memory, kB', value: await memoryOfASecret(), budget: BUDGETS.kilobytes },
      ],
    },
  ]
}

async function timeOfAnEvent(): Promise<Readonly<Record<string, number>>> {
  const deliveries = signDeliveries(DISTINCT, 330)
  const sink = async () => undefined
  const one = createReceiver({ secret: SECRET, sink })
  const many = createReceivers({ secretOf: () => SECRET, sink })
  const ids = Array.from({ length: INTEGRATIONS }, (_, index) => `integration-${index}`)
  const attempt = (turn: number, integration: string) => attemptOf(deliveries[turn % DISTINCT], integration)
  for (const [turn, id] of ids.entries()) await many.respond(attempt(turn, id))
  const processorTime = (receiver: Pick<Receivers, 'respond'>) => async () => {
    const before = process.cpuUsage()
    for (const [turn, id] of ids.entries()) await receiver.respond(attempt(turn, id))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / INTEGRATIONS
  }
  const contenders = { [ONE]: processorTime(one), [MANY]: processorTime(many) }
  await mediansTurnByTurn(contenders, 3) // These rounds only warm up.
  return await mediansTurnByTurn(contenders, 31)
}

/** Kilobytes of memory. */
async function memoryOfASecret(): Promise<number> {
  const program = await startProgram<string>('memory-of-secrets.ts')
  const bytes = await askProgram<number>(program.process, 'how much')
  program.process.kill()
  return bytes / 1024
}

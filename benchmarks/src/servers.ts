import { Agent } from 'node:http'
import { PEER_SECRET, signDeliveries } from './deliveries.ts'
import { mediansTurnByTurn } from './measure.ts'
import type { Table } from './report.ts'
import { post, processorTimeOf, sendAll } from './requests.ts'
import { startProgram } from './start-program.ts'

const EVENTS = 40_000
const WARM_UP = 4_000
const PARALLEL = 64
const ROUNDS = 3

const FRAMEWORKS = ['node:http', 'Express', 'Fastify']
const VARIANTS = ['bare', 'hand-written', 'notewire']

/** Measures the server's processor time per event. The sender could not send fast enough to measure requests per second. */
export async function measureServers(): Promise<readonly Table[]> {
  const tables: Table[] = []
  for (const framework of FRAMEWORKS) {
    const microseconds = await mediansTurnByTurn(
      Object.fromEntries(VARIANTS.map((variant) => [variant, () => microsecondsAnEvent(framework, variant)])),
      ROUNDS,
    )
    const bare = microseconds['bare'] ?? Number.NaN
    tables.push({
      title: `Processor time of a server for one event, ${framework}`,
      unit: 'µs',
      note: 'Bare parses JSON and believes it. Hand-written is the official library and a Map. Ratios to bare.',
      rows: Object.entries(microseconds).map(([name, value]) => ({ name, value, ratio: value / bare })),
    })
  }
  return tables
}

async function microsecondsAnEvent(framework: string, variant: string): Promise<number> {
  const server = await startProgram<{ port: number }>('server-under-test.ts', framework, variant, PEER_SECRET)
  const { port } = server.firstMessage
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL })
  const deliveries = signDeliveries(WARM_UP + EVENTS, 330)
  const deliver = (from: number, to: number) =>
    sendAll(deliveries.slice(from, to), PARALLEL, (delivery) => post(delivery, 204, port, agent))
  await deliver(0, WARM_UP)
  const before = await processorTimeOf(server.process)
  await deliver(WARM_UP, deliveries.length)
  const used = (await processorTimeOf(server.process)) - before
  agent.destroy()
  server.process.kill()
  return used / EVENTS
}

import { Agent } from 'node:http'
import { PEER_SECRET, signDeliveries } from './deliveries.ts'
import { mediansTurnByTurn } from './measure.ts'
import { comparedWith, type Row, type Table } from './report.ts'
import { post, processorTimeOf, sendAll } from './requests.ts'
import { startProgram } from './start-program.ts'

const EVENTS = 15_000
/** A server that has just started is slower, because its code is compiled while it runs. */
const WARM_UP = 40_000
const PARALLEL = 64
const ROUNDS = 3

const FRAMEWORKS = ['node:http', 'Express', 'Fastify']
const VARIANTS = ['bare', 'hand-written', 'notewire']
/** Our limit, as a multiple of hand-written. */
const AIM = 1.25
type Handling = 'asynchronous' | 'synchronous'

/** Measures the server's processor time per event. The sender could not send fast enough to measure requests per second. */
export async function measureServers(): Promise<readonly Table[]> {
  return [
    {
      title: 'How much processor time does an event cost my server?',
      unit: 'µs',
      note: 'With an asynchronous handler. *Bare* only parses the JSON. *Hand-written* verifies with `standardwebhooks` and skips duplicates with a `Map`.',
      rows: await rowsOf('asynchronous'),
    },
    {
      title: 'And with a handler that does nothing?',
      unit: 'µs',
      note: 'As above, with a synchronous handler.',
      rows: await rowsOf('synchronous'),
    },
  ]
}

async function rowsOf(handling: Handling): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const framework of FRAMEWORKS) {
    const microseconds = await mediansTurnByTurn(
      Object.fromEntries(VARIANTS.map((variant) => [variant, () => microsecondsAnEvent(framework, variant, handling)])),
      ROUNDS,
    )
    const limits = (name: string) => (name === 'notewire' ? { aim: AIM } : { isAlternative: name === 'hand-written' })
    rows.push(...comparedWith('hand-written', microseconds, (name) => ({ column: framework, ...limits(name) })))
  }
  return rows
}

async function microsecondsAnEvent(framework: string, variant: string, handling: Handling): Promise<number> {
  const server = await startProgram<{ port: number }>('server-under-test.ts', framework, variant, PEER_SECRET, handling)
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

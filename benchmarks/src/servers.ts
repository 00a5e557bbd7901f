import type { ChildProcess } from 'node:child_process'
import { Agent, request } from 'node:http'
import { PEER_SECRET, type SignedDelivery, signDeliveries } from './deliveries.ts'
import { mediansTurnByTurn } from './measure.ts'
import type { Table } from './report.ts'
import { askProgram, startProgram } from './start-program.ts'

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
  await deliver(deliveries.slice(0, WARM_UP), port, agent)
  const before = await processorTimeOf(server.process)
  await deliver(deliveries.slice(WARM_UP), port, agent)
  const used = (await processorTimeOf(server.process)) - before
  agent.destroy()
  server.process.kill()
  return used / EVENTS
}

async function processorTimeOf(server: ChildProcess): Promise<number> {
  const { cpu } = await askProgram<{ cpu: number }>(server, 'how much')
  return cpu
}

async function deliver(deliveries: readonly SignedDelivery[], port: number, agent: Agent): Promise<void> {
  const waiting = deliveries.values()
  const send = async () => {
    for (const delivery of waiting) await post(delivery, port, agent)
  }
  await Promise.all(Array.from({ length: PARALLEL }, send))
}

function post({ body, headers }: SignedDelivery, port: number, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { agent, port, host: '127.0.0.1', method: 'POST', path: '/' }
    const length = { 'content-type': 'application/json', 'content-length': body.length }
    const sent = request({ ...options, headers: { ...headers, ...length } }, (response) => {
      response.resume()
      if (response.statusCode === 204) response.on('end', resolve)
      else reject(new Error(`answered ${response.statusCode}`))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

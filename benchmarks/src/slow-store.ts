import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { PEER_SECRET, signDeliveries } from './deliveries.ts'
import type { Table } from './report.ts'
import { post } from './requests.ts'
import { startProgram } from './start-program.ts'

const EVENTS_A_SECOND = 200
const WARM_UP = 200
const EVENTS = 2_000

/** The time of one operation of the store of `server-under-test.ts`. A delivery needs two: claim and commit. */
const OPERATION_MS = 50

/** Measures how long a delivery waits at a steady rate if the store is slow. */
export async function measureSlowStore(): Promise<readonly Table[]> {
  const tookMs = (await latencies()).toSorted((a, b) => a - b)
  const row = (name: string, share: number) => {
    const value = tookMs[Math.ceil(share * tookMs.length) - 1] ?? Number.NaN
    return { name, value, ratio: value / (2 * OPERATION_MS) }
  }
  return [
    {
      title: 'How long does a delivery wait if my store is slow?',
      unit: 'ms',
      note: `${EVENTS_A_SECOND} events a second to \`node:http\`. Each operation of the store takes ${OPERATION_MS} ms. The multiples are of a claim and a commit, ${2 * OPERATION_MS} ms.`,
      rows: [row('median', 0.5), row('99th percentile', 0.99), row('slowest', 1)],
    },
  ]
}

async function latencies(): Promise<readonly number[]> {
  const server = await startProgram<{ port: number }>('server-under-test.ts', 'node:http', 'slow-store', PEER_SECRET)
  const agent = new Agent({ keepAlive: true })
  const deliveries = signDeliveries(WARM_UP + EVENTS, 330)
  const began = performance.now()
  const answers = deliveries.map(async (delivery, index) => {
    const dueMs = (index / EVENTS_A_SECOND) * 1_000
    await sleep(dueMs)
    await post(delivery, 204, server.firstMessage.port, agent)
    return performance.now() - began - dueMs
  })
  const tookMs = await Promise.all(answers)
  agent.destroy()
  server.process.kill()
  return tookMs.slice(WARM_UP)
}

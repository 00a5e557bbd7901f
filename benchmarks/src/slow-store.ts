import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { PEER_SECRET, signDeliveries } from './deliveries.ts'
import type { Table } from './report.ts'
import { post } from './requests.ts'
import { startProgram } from './start-program.ts'

const EVENTS_A_SECOND = 200
const WARM_UP = 200
const EVENTS = 3_000

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
      title: `Time until a delivery is answered, with a store that answers in ${OPERATION_MS} ms`,
      unit: 'ms',
      note: `node:http, without a log. ${EVENTS} events of 330 bytes, ${EVENTS_A_SECOND} a second, each timed from the moment at which it was due. Ratios to claim and commit, ${2 * OPERATION_MS} ms.`,
      rows: [row('notewire, median', 0.5), row('notewire, 99 of 100', 0.99), row('notewire, slowest', 1)],
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

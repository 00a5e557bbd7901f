import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { PEER_SECRET, signDeliveries } from './deliveries.ts'
import { median, mediansTurnByTurn } from './measure.ts'
import { comparedWith, type Table } from './report.ts'
import { type BenchmarkRequest, post, processorTimeOf, sendAll } from './requests.ts'
import { startProgram } from './start-program.ts'

const BYTES = 16_384
const FORGERIES = 1_500
const WARM_UP = 500
const PARALLEL = 32
const ROUNDS = 3

/** Our limit of the time of any body, as a multiple of that of one long text. */
const AIM = 2

/** For the latencies: valid deliveries one after the other, forgeries at a steady rate. */
const DELIVERIES = 1_000
const FORGERIES_A_SECOND = 1_000

const FLAT = 'one long text'
const NESTED = 'nested brackets'

/** Unsigned bodies of the same size. A JSON parser takes very different times for them. */
const FORGED: Readonly<Record<string, string>> = {
  [FLAT]: `{"a":"${'x'.repeat(BYTES - 8)}"}`,
  [NESTED]: '['.repeat(BYTES / 2) + ']'.repeat(BYTES / 2),
  'many empty arrays': filled('[', '[],', '[]]'),
  'many numbers': filled('[', '1e-7,', '0]'),
  'many keys': `{${Array.from({ length: 1_600 }, (_, at) => `"${at + 1_000}":7`).join(', ')}}`.padEnd(BYTES),
  'one text of escapes': filled('{"a":"', '\\u0001', '"}'),
  'one number of many digits': filled('[', '7', ']'),
  'arrays and commas at the bounds': `${'['.repeat(31)}[${'7.7,'.repeat(256)}7${']'.repeat(32)}`.padEnd(BYTES),
}

/** Measures the processor time of a server for forged requests, and the latency of valid deliveries meanwhile. */
export async function measureForgeries(): Promise<readonly Table[]> {
  const microseconds = await mediansTurnByTurn(
    Object.fromEntries(Object.entries(FORGED).map(([name, body]) => [name, () => microsecondsARequest(body)])),
    ROUNDS,
  )
  const milliseconds = await mediansTurnByTurn(
    {
      'no forgeries': () => medianLatency(undefined),
      [FLAT]: () => medianLatency(FORGED[FLAT]),
      [NESTED]: () => medianLatency(FORGED[NESTED]),
    },
    ROUNDS,
  )
  return [
    {
      title: 'Can forged requests overload my server?',
      unit: '',
      note: `Bodies of ${BYTES / 1024} KiB with wrong signatures, to \`node:http\`. One forgery: processor time, including the search for re-serialised JSON, which a receiver makes at most ten times a second. Valid delivery: during ${FORGERIES_A_SECOND.toLocaleString('en')} forgeries a second.`,
      rows: [
        ...comparedWith(FLAT, microseconds, () => ({ column: 'one forgery, µs', aim: AIM })),
        ...comparedWith('no forgeries', milliseconds, () => ({ column: 'valid delivery answered, median, ms' })),
      ],
    },
  ]
}

async function microsecondsARequest(body: string): Promise<number> {
  const server = await startProgram<{ port: number }>('server-under-test.ts', 'node:http', 'examining', PEER_SECRET)
  const { port } = server.firstMessage
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL })
  const send = (count: number) =>
    sendAll(Array.from({ length: count }), PARALLEL, () => post(forged(body), 401, port, agent))
  await send(WARM_UP)
  const before = await processorTimeOf(server.process)
  await send(FORGERIES)
  const used = (await processorTimeOf(server.process)) - before
  agent.destroy()
  server.process.kill()
  return used / FORGERIES
}

async function medianLatency(forgery: string | undefined): Promise<number> {
  const server = await startProgram<{ port: number }>('server-under-test.ts', 'node:http', 'quiet', PEER_SECRET)
  const { port } = server.firstMessage
  const valid = new Agent({ keepAlive: true, maxSockets: 1 })
  const hostile = new Agent({ keepAlive: true, maxSockets: PARALLEL })
  const over = new AbortController()
  const attack = forgery === undefined ? undefined : sendSteadily(forgery, port, hostile, over.signal)
  const tookMs: number[] = []
  for (const delivery of signDeliveries(DELIVERIES, 330)) {
    const began = performance.now()
    await post(delivery, 204, port, valid)
    tookMs.push(performance.now() - began)
  }
  over.abort()
  await attack
  valid.destroy()
  hostile.destroy()
  server.process.kill()
  return median(tookMs)
}

async function sendSteadily(body: string, port: number, agent: Agent, over: AbortSignal): Promise<void> {
  const began = performance.now()
  const underWay: Promise<void>[] = []
  while (!over.aborted) {
    const due = Math.floor(((performance.now() - began) / 1_000) * FORGERIES_A_SECOND)
    while (underWay.length < due) underWay.push(post(forged(body), 401, port, agent))
    await sleep(1)
  }
  await Promise.all(underWay)
}

function forged(body: string): BenchmarkRequest {
  const signature = randomBytes(32).toString('base64')
  const timestamp = String(Math.floor(Date.now() / 1000))
  return {
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
    body,
  }
}

/** `first`, `middle` repeated, `last`, padded with spaces to the size. */
function filled(first: string, middle: string, last: string): string {
  const times = Math.floor((BYTES - first.length - last.length) / middle.length)
  return (first + middle.repeat(times) + last).padEnd(BYTES)
}

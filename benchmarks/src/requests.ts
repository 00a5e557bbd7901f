import type { ChildProcess } from 'node:child_process'
import { type Agent, request } from 'node:http'
import { askProgram } from './start-program.ts'

/** The body and the headers of a request to `server-under-test.ts`. */
export interface BenchmarkRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string
}

/** Posts a request. Rejects if the status is not the expected one. */
export function post({ body, headers }: BenchmarkRequest, expected: number, port: number, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const length = { 'content-type': 'application/json', 'content-length': body.length }
    const options = { agent, port, host: '127.0.0.1', method: 'POST', path: '/', headers: { ...headers, ...length } }
    const sent = request(options, (response) => {
      response.resume()
      if (response.statusCode === expected) response.on('end', resolve)
      else reject(new Error(`answered ${response.statusCode}`))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Calls `send` for each item, with a limited number of parallel calls. */
export async function sendAll<Item>(
  items: readonly Item[],
  parallel: number,
  send: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const sendOn = async () => {
    for (const item of waiting) await send(item)
  }
  await Promise.all(Array.from({ length: parallel }, sendOn))
}

/** The processor time of `server-under-test.ts`, in microseconds. */
export async function processorTimeOf(server: ChildProcess): Promise<number> {
  const { cpu } = await askProgram<{ cpu: number }>(server, 'how much')
  return cpu
}

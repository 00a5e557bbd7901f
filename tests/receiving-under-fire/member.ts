import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import type { SignedAttempt } from '@notewire/webhooks/testing'
import type { Integration } from './integrations.ts'
import type { WorkerReport, WorkerSettings } from './worker-settings.ts'

/** A running worker, as the load balancer and the operator see it. */
export class Member {
  readonly name: string
  /** It exits when it is told to, and not before. */
  readonly gone: Promise<void>
  readonly #process: ChildProcess
  readonly #agent = new Agent({ keepAlive: true })
  readonly #port: Promise<number>
  #end: 'SIGKILL' | 'SIGTERM' | undefined

  constructor(settings: WorkerSettings, environment: NodeJS.ProcessEnv, onReport: (report: WorkerReport) => void) {
    this.name = `worker ${settings.number}`
    this.#process = fork(join(import.meta.dirname, 'worker.ts'), {
      execArgv: ['--conditions=@notewire/source', '--disable-warning=ExperimentalWarning'],
      env: { ...process.env, ...environment, WORKER_SETTINGS: JSON.stringify(settings) },
    })
    this.#port = new Promise((resolve) => {
      this.#process.on('message', (report: WorkerReport) => {
        if (report.what === 'listens') resolve(report.port)
        else onReport(report)
      })
    })
    this.gone = once(this.#process, 'exit').then(([code, signal]) => {
      this.#agent.destroy()
      const asTold = this.#end === 'SIGTERM' ? code === 0 : this.#end === signal
      if (!asTold)
        throw new Error(`${this.name} has ended with ${code ?? signal}, and was told ${this.#end ?? 'nothing'}`)
    })
  }

  async listening(): Promise<void> {
    await Promise.race([this.#port, this.gone])
  }

  /** @returns the status of its answer, or `undefined` when none has come in time */
  async answer(integration: Integration, { headers, body }: SignedAttempt): Promise<number | undefined> {
    const port = await this.#port
    return await new Promise((resolve) => {
      const attempt = request({
        port,
        host: '127.0.0.1',
        path: `/${integration}`,
        method: 'POST',
        headers,
        agent: this.#agent,
      })
      const timer = setTimeout(() => attempt.destroy(), RECEIVER_DEADLINE_MS)
      const settle = (status: number | undefined) => {
        clearTimeout(timer)
        resolve(status)
      }
      attempt.on('response', (response) => {
        response.resume()
        settle(response.statusCode)
      })
      attempt.on('error', () => undefined).on('close', () => settle(undefined))
      attempt.end(body)
    })
  }

  /** Ends it at once. */
  async end(): Promise<void> {
    this.#end = 'SIGKILL'
    this.#process.kill('SIGKILL')
    await this.gone
  }

  /** It stands still, and does not know. */
  pause(): void {
    this.#process.kill('SIGSTOP')
  }

  resume(): void {
    this.#process.kill('SIGCONT')
  }

  /** Asks it to finish and exit. */
  async close(): Promise<void> {
    this.#end ??= 'SIGTERM'
    this.#process.kill(this.#end)
    await this.gone
  }
}

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import type { SignedAttempt } from '@notewire/webhooks/testing'
import type { Integration } from './integrations.ts'
import type { WorkerReport, WorkerSettings } from './worker-settings.ts'

/** The process of a worker. */
export class WorkerProcess {
  readonly name: string
  /** Resolves when the process has ended as requested. Rejects if it ends otherwise. */
  readonly gone: Promise<void>
  readonly #process: ChildProcess
  readonly #agent = new Agent({ keepAlive: true })
  readonly #port: Promise<number>
  #requestedEnd: 'SIGKILL' | 'SIGTERM' | undefined

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
      const asRequested = this.#requestedEnd === 'SIGTERM' ? code === 0 : this.#requestedEnd === signal
      if (!asRequested)
        throw new Error(`${this.name} has ended with ${code ?? signal}, expected ${this.#requestedEnd ?? 'no end'}`)
    })
  }

  async listening(): Promise<void> {
    await Promise.race([this.#port, this.gone])
  }

  /** @returns the status of the answer, or `undefined` if none arrives in time */
  async post(integration: Integration, { headers, body }: SignedAttempt): Promise<number | undefined> {
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

  async kill(): Promise<void> {
    this.#requestedEnd = 'SIGKILL'
    this.#process.kill('SIGKILL')
    await this.gone
  }

  pause(): void {
    this.#process.kill('SIGSTOP')
  }

  resume(): void {
    this.#process.kill('SIGCONT')
  }

  /** Sends SIGTERM: the worker closes its receivers and exits. */
  async close(): Promise<void> {
    this.#requestedEnd ??= 'SIGTERM'
    this.#process.kill(this.#requestedEnd)
    await this.gone
  }
}

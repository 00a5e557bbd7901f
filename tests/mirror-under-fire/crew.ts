import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { WorkerReport } from './worker-settings.ts'

interface Worker {
  readonly process: ChildProcess
  readonly port: number
}

/** The processes that keep mirrors together, as behind a load balancer. */
export class Crew {
  readonly #program: URL
  readonly #settings: () => object
  #workers: readonly Worker[] = []

  /** @param settings  what the next worker is started with, as JSON in `WORKER_SETTINGS` */
  constructor(program: URL, settings: () => object) {
    this.#program = program
    this.#settings = settings
  }

  async hire(): Promise<void> {
    const worker = fork(this.#program, {
      execArgv: ['--conditions=@notewire/source', '--disable-warning=ExperimentalWarning'],
      env: { ...process.env, WORKER_SETTINGS: JSON.stringify(this.#settings()) },
    })
    const [report] = (await Promise.race([once(worker, 'message'), failureOf(worker)])) as [WorkerReport]
    this.#workers = [...this.#workers, { process: worker, port: report.port }]
  }

  /** Ends the worker that has been there for longest, in the middle of whatever it does. */
  async killOne(): Promise<void> {
    const [oldest, ...others] = this.#workers
    this.#workers = others
    if (oldest !== undefined) await kill(oldest.process)
  }

  async killAll(): Promise<void> {
    const workers = this.#workers
    this.#workers = []
    await Promise.all(workers.map(({ process }) => kill(process)))
  }

  /** Hands a delivery to a worker, which may die of it. */
  async answer(request: Request, chosen: number): Promise<Response> {
    const worker = this.#workers[chosen % Math.max(1, this.#workers.length)]
    if (worker === undefined) return new Response(null, { status: 503 })
    try {
      const { method, headers } = request
      return await fetch(`http://127.0.0.1:${worker.port}${new URL(request.url).pathname}`, {
        method,
        headers,
        body: await request.arrayBuffer(),
      })
    } catch {
      return new Response(null, { status: 502 })
    }
  }
}

async function kill(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return
  const gone = once(worker, 'exit')
  worker.kill('SIGKILL')
  await gone
}

async function failureOf(worker: ChildProcess): Promise<never> {
  const [code] = await once(worker, 'exit')
  throw new Error(`a worker ended with ${code} before it listened`)
}

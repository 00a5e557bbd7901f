import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../simulation/random.ts'
import { INTEGRATIONS, type Integration, secretVariable } from './integrations.ts'
import type { StoreServer } from './servers/store-server.ts'
import type { SlowNote } from './slow-notes.ts'
import { WorkerProcess } from './worker-process.ts'

const MAX_SKEW_MS = 600_000
/** How often to look for a free worker, every 50 ms. */
const MOST_TRIES = 2_000

/** All instances of the application, and their load balancer. */
export class Fleet {
  readonly chronicle: string
  readonly secrets: Readonly<Record<Integration, string>> = { personal: newSecret(), channel: newSecret() }
  /** Rejects if a worker ends unexpectedly. */
  readonly failure: Promise<never>
  readonly #fail: (error: unknown) => void
  readonly #server: StoreServer
  readonly #random: Random
  readonly #folder: string
  readonly #workers = new Set<WorkerProcess>()
  /** The workers that the load balancer uses. */
  readonly #rotation = new Set<WorkerProcess>()
  /** The workers that random kills must not hit. */
  readonly #spared = new Set<WorkerProcess>()
  readonly #begun = new Set<string>()
  readonly #listeners = new Set<() => void>()
  #started = 0
  #isOver = false

  constructor(server: StoreServer, random: Random, folder: string) {
    this.#server = server
    this.#random = random
    this.#folder = folder
    this.chronicle = join(folder, 'chronicle')
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => undefined)
    this.failure = promise
    this.#fail = reject
  }

  async startAll(count: number): Promise<void> {
    await this.start()
    await Promise.all(Array.from({ length: count - 1 }, () => this.start()))
  }

  /** Starts one more worker, whose clock is wrong. */
  async start(): Promise<void> {
    const number = this.#started
    this.#started += 1
    const { engine, location } = this.#server
    // The first two workers have the largest skews.
    const skewMs = [MAX_SKEW_MS, -MAX_SKEW_MS][number] ?? this.#random.integer(-MAX_SKEW_MS, MAX_SKEW_MS)
    const seed = this.#random.integer(0, 2 ** 31)
    const settings = { engine, location, chronicle: this.chronicle, number, skewMs, seed }
    const secrets = Object.fromEntries(
      INTEGRATIONS.map((integration) => [secretVariable(integration), this.secrets[integration]]),
    )
    // Compilation is half of the cost of a start. The first worker compiles for all.
    const environment = { ...secrets, NODE_COMPILE_CACHE: join(this.#folder, 'compiled') }
    const worker: WorkerProcess = new WorkerProcess(settings, environment, (report) => {
      if (report.what === 'begins') this.#recordBegun(worker, report.note, report.integration)
    })
    this.#workers.add(worker)
    const remove = () => {
      this.#workers.delete(worker)
      this.#rotation.delete(worker)
    }
    worker.gone.then(remove, (error) => {
      remove()
      this.#fail(error)
    })
    await worker.listening()
    this.#rotation.add(worker)
  }

  /** A worker for the next attempt, other than the last one. */
  route(last: WorkerProcess | undefined): WorkerProcess | undefined {
    return this.#pick([...this.#rotation].filter((worker) => worker !== last))
  }

  /** A worker that only the caller may kill. */
  spare(): Promise<WorkerProcess> {
    return this.#take((worker) => this.#spared.add(worker))
  }

  /** A worker to kill at random. The load balancer no longer uses it. */
  victim(): Promise<WorkerProcess> {
    return this.#take((worker) => this.#rotation.delete(worker))
  }

  /**
   * Takes a worker that is not spared, so that no other caller takes it. Waits for one that starts if there is none. Rejects when all are
   * killed.
   */
  async #take(mark: (worker: WorkerProcess) => void): Promise<WorkerProcess> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (this.#isOver) throw new Error('there is no worker left')
      const worker = this.#pick([...this.#rotation].filter((each) => !this.#spared.has(each)))
      if (worker !== undefined) {
        mark(worker)
        return worker
      }
      await sleep(50)
    }
    throw new Error(`No worker is free after ${MOST_TRIES} tries.`)
  }

  /** Kills a worker with SIGKILL, and starts another. */
  async replace(worker: WorkerProcess): Promise<void> {
    this.#rotation.delete(worker)
    await worker.kill()
    await this.start()
  }

  /** Removes a worker that does not answer from the load balancer. */
  withdraw(worker: WorkerProcess): void {
    this.#rotation.delete(worker)
  }

  restore(worker: WorkerProcess): void {
    this.#rotation.add(worker)
  }

  /** Resolves when a worker has called its handler for a slow note. */
  async begun(note: SlowNote, integration: Integration, worker: WorkerProcess): Promise<void> {
    const key = `${worker.name} ${note} ${integration}`
    while (!this.#begun.has(key)) await new Promise<void>((resolve) => void this.#listeners.add(resolve))
  }

  /** Closes all workers. Rejects if one fails. */
  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.close()))
  }

  /** Kills all workers. */
  async killAll(): Promise<void> {
    this.#isOver = true
    await Promise.all([...this.#workers].map((worker) => worker.kill()))
  }

  #recordBegun(worker: WorkerProcess, note: SlowNote, integration: Integration): void {
    this.#begun.add(`${worker.name} ${note} ${integration}`)
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  #pick(workers: readonly WorkerProcess[]): WorkerProcess | undefined {
    return workers[this.#random.integer(0, workers.length - 1)]
  }
}

function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64url')}`
}

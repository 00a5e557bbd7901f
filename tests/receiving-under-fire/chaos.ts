import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../simulation/random.ts'
import type { Fleet } from './fleet.ts'
import { INTEGRATIONS, type Integration } from './integrations.ts'
import { type AddressedEvent, eventOfSlowNote } from './plan.ts'
import type { StoreServer } from './servers/store-server.ts'
import type { Service } from './service.ts'
import type { SlowNote } from './slow-notes.ts'
import type { WorkerProcess } from './worker-process.ts'

/** The time in which a load balancer detects that a worker does not answer. */
const NOTICED_AFTER_MS = 1_000

/** How often to look whether something has happened. */
const MOST_TRIES = 20_000

export interface ChaosOptions {
  readonly server: StoreServer
  readonly fleet: Fleet
  readonly service: Service
  readonly random: Random
  readonly deliveries: readonly AddressedEvent[]
  readonly kills: number
}

/** What `runChaos` has done. */
export interface ChaosResult {
  /** The names of the workers that were killed with SIGKILL. */
  readonly killed: ReadonlySet<string>
  /** The names of the workers that were paused for longer than a lease. */
  readonly paused: ReadonlySet<string>
  /** The number of attempts of each event whose handler exceeded the deadline of the service. */
  readonly attemptsOfOverdue: readonly number[]
}

/** Sends all deliveries while it kills workers and the server of the store. Resolves when all are acknowledged. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const chaos = new Chaos(options)
  return await Promise.race([chaos.run(), options.fleet.failure])
}

class Chaos {
  readonly #options: ChaosOptions
  readonly #killed = new Set<string>()
  readonly #paused = new Set<string>()

  constructor(options: ChaosOptions) {
    this.#options = options
  }

  async run(): Promise<ChaosResult> {
    const { service, deliveries, server, random } = this.#options
    const stream = service.deliverAll(deliveries)
    const kills = this.#killAtRandom()
    // If something else fails first, nobody awaits these.
    for (const work of [stream, kills]) work.catch(() => undefined)
    const outlasting = INTEGRATIONS.map((integration) => this.#begin('note_outlasting', integration))
    const overdue = INTEGRATIONS.map((integration) => this.#begin('note_overdue', integration))
    const begun = await Promise.all([...outlasting, ...overdue])

    // The leases of slow handlers must survive the crash.
    await sleep(random.integer(200, 1_500))
    await server.crashAndRestart?.()
    await Promise.all(INTEGRATIONS.flatMap((integration) => [this.#pause(integration), this.#abandon(integration)]))
    const attemptsOfOverdue = await Promise.all(begun.slice(outlasting.length).map(({ acknowledged }) => acknowledged))
    await Promise.all([stream, kills, ...begun.map(({ acknowledged }) => acknowledged)])
    return { killed: this.#killed, paused: this.#paused, attemptsOfOverdue }
  }

  async #killAtRandom(): Promise<void> {
    const { fleet, random, deliveries, kills } = this.#options
    // No kills near the end: the claims of a killed worker last for up to 20 s.
    const moments = Array.from({ length: kills }, () => Math.floor(random.fraction() * 0.6 * deliveries.length))
    const replaced: Promise<void>[] = []
    for (const moment of moments.toSorted((a, b) => a - b)) {
      await this.#untilSent(moment)
      replaced.push(this.#kill(await fleet.victim()))
    }
    await Promise.all(replaced)
  }

  async #untilSent(deliveries: number): Promise<void> {
    const { service } = this.#options
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (service.sent.length >= deliveries) return
      await sleep(5)
    }
    throw new Error(
      `The service has sent ${service.sent.length} deliveries, not ${deliveries}, after ${MOST_TRIES} tries.`,
    )
  }

  #kill(worker: WorkerProcess): Promise<void> {
    this.#killed.add(worker.name)
    return this.#options.fleet.replace(worker)
  }

  /** Sends the event of a slow note to one worker until its handler begins, even if the store fails several times. */
  async #begin(note: SlowNote, integration: Integration): Promise<Begun> {
    const { fleet, service } = this.#options
    const worker = await fleet.spare()
    let hasBegun = false
    const route = (last: WorkerProcess | undefined) => (hasBegun ? fleet.route(last) : worker)
    const acknowledged = service.deliver(eventOfSlowNote(note, integration), route)
    // The delivery fails if the worker never begins.
    await Promise.race([fleet.begun(note, integration, worker), acknowledged])
    hasBegun = true
    return { worker, acknowledged }
  }

  /** Pauses a worker during a handler, and resumes it when another worker has taken its event over. */
  async #pause(integration: Integration): Promise<void> {
    const { fleet, server } = this.#options
    const { worker, acknowledged } = await this.#begin('note_paused', integration)
    this.#paused.add(worker.name)
    worker.pause()
    // A worker that is paused during a write to SQLite's file would block all others for ever.
    for (let tries = 0; await server.isLocked?.(); tries += 1) {
      if (tries === MOST_TRIES) throw new Error(`${worker.name} writes whenever it is paused, ${MOST_TRIES} times.`)
      worker.resume()
      await sleep(1)
      worker.pause()
    }
    await sleep(NOTICED_AFTER_MS)
    fleet.withdraw(worker)
    await acknowledged
    worker.resume()
    fleet.restore(worker)
  }

  /** Kills a worker during a handler. */
  async #abandon(integration: Integration): Promise<void> {
    const { worker, acknowledged } = await this.#begin('note_abandoned', integration)
    await this.#kill(worker)
    await acknowledged
  }
}

interface Begun {
  readonly worker: WorkerProcess
  /** The number of attempts, when the event is acknowledged. */
  readonly acknowledged: Promise<number>
}

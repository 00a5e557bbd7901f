import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../simulation/random.ts'
import type { Fleet } from './fleet.ts'
import { INTEGRATIONS, type Integration } from './integrations.ts'
import type { Member } from './member.ts'
import type { Ordeal } from './ordeals.ts'
import { type AddressedEvent, ordealOf } from './plan.ts'
import type { StoreServer } from './servers/store-server.ts'
import type { Service } from './service.ts'

/** How long a load balancer takes to find out that a worker does not answer. */
const NOTICED_AFTER_MS = 1_000

/** What the fire consists of. */
export interface FireOptions {
  readonly server: StoreServer
  readonly fleet: Fleet
  readonly service: Service
  readonly random: Random
  readonly deliveries: readonly AddressedEvent[]
  readonly kills: number
}

/** What the fire has done. */
export interface Damage {
  /** The workers that were ended by SIGKILL. */
  readonly killed: ReadonlySet<string>
  /** Those that stood still for longer than a lease lasts. */
  readonly paused: ReadonlySet<string>
  /** How many attempts each event took that a handler was slower with than the service waits. */
  readonly attemptsOfOverdue: readonly number[]
}

/** Sends everything while workers and the store's server are killed. Resolves when all has been acknowledged. */
export async function playWithFire(options: FireOptions): Promise<Damage> {
  const fire = new Fire(options)
  return await Promise.race([fire.burn(), options.fleet.failure])
}

class Fire {
  readonly #options: FireOptions
  readonly #killed = new Set<string>()
  readonly #paused = new Set<string>()

  constructor(options: FireOptions) {
    this.#options = options
  }

  async burn(): Promise<Damage> {
    const { service, deliveries, server, random } = this.#options
    const stream = service.stream(deliveries)
    const kills = this.#killAtRandom()
    const outlasting = INTEGRATIONS.map((integration) => this.#begin('note_outlasting', integration))
    const overdue = INTEGRATIONS.map((integration) => this.#begin('note_overdue', integration))
    const begun = await Promise.all([...outlasting, ...overdue])

    // Leases are renewed across it.
    await sleep(random.integer(200, 1_500))
    await server.crashAndRestart?.()
    await Promise.all(INTEGRATIONS.flatMap((integration) => [this.#pause(integration), this.#abandon(integration)]))
    const attemptsOfOverdue = await Promise.all(begun.slice(outlasting.length).map(({ acknowledged }) => acknowledged))
    await Promise.all([stream, kills, ...begun.map(({ acknowledged }) => acknowledged)])
    return { killed: this.#killed, paused: this.#paused, attemptsOfOverdue }
  }

  async #killAtRandom(): Promise<void> {
    const { fleet, service, random, deliveries, kills } = this.#options
    // None towards the end: what a killed worker has claimed takes 20 s to come free.
    const moments = Array.from({ length: kills }, () => Math.floor(random.fraction() * 0.6 * deliveries.length))
    const replaced: Promise<void>[] = []
    for (const moment of moments.toSorted((a, b) => a - b)) {
      while (service.sent.length < moment) await sleep(5)
      replaced.push(this.#kill(fleet.victim()))
    }
    await Promise.all(replaced)
  }

  #kill(member: Member): Promise<void> {
    this.#killed.add(member.name)
    return this.#options.fleet.replace(member)
  }

  /** Has a worker begin with an ordeal, however often the store fails it. */
  async #begin(ordeal: Ordeal, integration: Integration): Promise<Begun> {
    const { fleet, service } = this.#options
    const member = fleet.spare()
    let hasBegun = false
    const route = (last: Member | undefined) => (hasBegun ? fleet.route(last) : member)
    const acknowledged = service.deliver(ordealOf(ordeal, integration), route)
    await fleet.begun(ordeal, integration, member)
    hasBegun = true
    return { member, acknowledged }
  }

  /** Stops a worker in the middle of a handler until another has taken its event over, and has it go on then. */
  async #pause(integration: Integration): Promise<void> {
    const { fleet, server } = this.#options
    const { member, acknowledged } = await this.#begin('note_paused', integration)
    this.#paused.add(member.name)
    member.pause()
    // Whoever is stopped in the middle of a write to a file keeps all others from writing: they would wait for ever.
    while (await server.isLocked?.()) {
      member.resume()
      await sleep(1)
      member.pause()
    }
    await sleep(NOTICED_AFTER_MS)
    fleet.withdraw(member)
    await acknowledged
    member.resume()
    fleet.restore(member)
  }

  /** Kills a worker in the middle of a handler. */
  async #abandon(integration: Integration): Promise<void> {
    const { member, acknowledged } = await this.#begin('note_abandoned', integration)
    await this.#kill(member)
    await acknowledged
  }
}

interface Begun {
  readonly member: Member
  /** How many attempts it took. */
  readonly acknowledged: Promise<number>
}

import { setTimeout as sleep } from 'node:timers/promises'
import { signAttempt } from '@notewire/webhooks/testing'
import type { Random } from '../simulation/random.ts'
import type { Fleet } from './fleet.ts'
import type { Integration } from './integrations.ts'
import type { AddressedEvent } from './plan.ts'
import type { WorkerProcess } from './worker-process.ts'

/** The number of consecutive failed attempts after which the service disables an endpoint (open point 16). */
export const DISABLING_FAILURES = 20

/** After so many attempts of one delivery, which take about four minutes, the test fails. */
const MOST_ATTEMPTS = 80

/** The number of parallel first attempts. */
const PARALLEL = 96

type Route = (last: WorkerProcess | undefined) => WorkerProcess | undefined

interface Delivery extends AddressedEvent {
  readonly id: string
  attempts: number
  lastSentTo: WorkerProcess | undefined
}

/** The notes service. It repeats each delivery, to another worker, until a worker answers 204. */
export class Service {
  /** The largest number of consecutive failed attempts. */
  readonly maxFailures: Record<Integration, number> = { personal: 0, channel: 0 }
  /** Every delivery: an event may occur several times. */
  readonly sent: AddressedEvent[] = []
  readonly #fleet: Fleet
  readonly #random: Random
  readonly #failures: Record<Integration, number> = { personal: 0, channel: 0 }
  readonly #balanced: Route = (last) => this.#fleet.route(last)

  constructor(fleet: Fleet, random: Random) {
    this.#fleet = fleet
    this.#random = random
  }

  /**
   * Sends one delivery. Resolves when it is acknowledged.
   *
   * @param route  chooses the worker for the next attempt, given the worker of the last one
   * @returns the number of attempts
   */
  async deliver(addressed: AddressedEvent, route: Route = this.#balanced): Promise<number> {
    const delivery = this.#begin(addressed)
    if (!(await this.#attempt(delivery, route))) await this.#retry(delivery, route)
    return delivery.attempts
  }

  /** Sends deliveries in order, many in parallel. Resolves when all are acknowledged. */
  async deliverAll(events: readonly AddressedEvent[]): Promise<void> {
    const retries: Promise<void>[] = []
    const waiting = events.values()
    const send = async () => {
      for (const addressed of waiting) {
        const delivery = this.#begin(addressed)
        if (!(await this.#attempt(delivery, this.#balanced))) retries.push(this.#retry(delivery, this.#balanced))
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, send))
    await Promise.all(retries)
  }

  async #retry(delivery: Delivery, route: Route): Promise<void> {
    while (delivery.attempts < MOST_ATTEMPTS) {
      await sleep(this.#delayMs(delivery))
      if (await this.#attempt(delivery, route)) return
    }
    const { event, integration, attempts } = delivery
    throw new Error(
      `${event.event_type} ${event.event_id} of ${integration} is not acknowledged after ${attempts} attempts.`,
    )
  }

  // The contract's schedule (§8) with shorter delays. Leases keep their length, so there are more retries.
  #delayMs({ attempts }: Delivery): number {
    return Math.min(attempts, 3) * this.#random.integer(700, 1_300)
  }

  /** @returns whether the attempt was acknowledged */
  async #attempt(delivery: Delivery, route: Route): Promise<boolean> {
    const { integration, event, id } = delivery
    const worker = route(delivery.lastSentTo)
    delivery.attempts += 1
    delivery.lastSentTo = worker
    const signed = await signAttempt(this.#fleet.secrets[integration], event, { webhookId: id })
    const acknowledged = (await worker?.post(integration, signed)) === 204
    this.#failures[integration] = acknowledged ? 0 : this.#failures[integration] + 1
    this.maxFailures[integration] = Math.max(this.maxFailures[integration], this.#failures[integration])
    return acknowledged
  }

  #begin(addressed: AddressedEvent): Delivery {
    this.sent.push(addressed)
    return { ...addressed, id: `msg_${crypto.randomUUID()}`, attempts: 0, lastSentTo: undefined }
  }
}

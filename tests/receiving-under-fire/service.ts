import { setTimeout as sleep } from 'node:timers/promises'
import { signAttempt } from '@notewire/webhooks/testing'
import type { Random } from '../simulation/random.ts'
import type { Fleet } from './fleet.ts'
import type { Integration } from './integrations.ts'
import type { Member } from './member.ts'
import type { AddressedEvent } from './plan.ts'

/** After that many failed attempts without a success between them the service disables an endpoint (open point 16). */
export const DISABLING_FAILURES = 20

/** How many deliveries the service has under way for the first time. */
const PARALLEL = 96

type Route = (last: Member | undefined) => Member | undefined

interface Delivery extends AddressedEvent {
  readonly id: string
  attempts: number
  lastSentTo: Member | undefined
}

/** The notes service: it sends each delivery again, to another worker, until it is answered 2xx. */
export class Service {
  /** How many attempts have failed in a row, at most. */
  readonly mostFailures: Record<Integration, number> = { personal: 0, channel: 0 }
  /** Everything that was sent, as often as it was delivered. */
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
   * Resolves when the event has been acknowledged.
   *
   * @param route  where the next attempt goes, by where the last one went
   * @returns how many attempts it took
   */
  async deliver(addressed: AddressedEvent, route: Route = this.#balanced): Promise<number> {
    const delivery = this.#begin(addressed)
    if (!(await this.#attempt(delivery, route))) await this.#persist(delivery, route)
    return delivery.attempts
  }

  /** Sends one delivery after another, many at a time. Resolves when all have been acknowledged. */
  async stream(events: readonly AddressedEvent[]): Promise<void> {
    const retries: Promise<void>[] = []
    const waiting = events.values()
    const send = async () => {
      for (const addressed of waiting) {
        const delivery = this.#begin(addressed)
        if (!(await this.#attempt(delivery, this.#balanced))) retries.push(this.#persist(delivery, this.#balanced))
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, send))
    await Promise.all(retries)
  }

  async #persist(delivery: Delivery, route: Route): Promise<void> {
    do await sleep(this.#delayMs(delivery))
    while (!(await this.#attempt(delivery, route)))
  }

  // The contract's schedule (§8), compressed; leases are not, so that it goes on for as long as it takes.
  #delayMs({ attempts }: Delivery): number {
    return Math.min(attempts, 3) * this.#random.integer(700, 1_300)
  }

  /** @returns whether it was acknowledged */
  async #attempt(delivery: Delivery, route: Route): Promise<boolean> {
    const { integration, event, id } = delivery
    const member = route(delivery.lastSentTo)
    delivery.attempts += 1
    delivery.lastSentTo = member
    const signed = await signAttempt(this.#fleet.secrets[integration], event, { webhookId: id })
    const acknowledged = (await member?.answer(integration, signed)) === 204
    this.#failures[integration] = acknowledged ? 0 : this.#failures[integration] + 1
    this.mostFailures[integration] = Math.max(this.mostFailures[integration], this.#failures[integration])
    return acknowledged
  }

  #begin(addressed: AddressedEvent): Delivery {
    this.sent.push(addressed)
    return { ...addressed, id: `msg_${crypto.randomUUID()}`, attempts: 0, lastSentTo: undefined }
  }
}

import { MAX_DELIVERY_ATTEMPTS, RECEIVER_DEADLINE_MS, RETRY_DELAYS_MS } from '@notewire/protocol'
import type { Receiver } from '@notewire/webhooks'
import { signAttempt } from '@notewire/webhooks/testing'
import { type AddressedEvent, inWords } from './circumstances.ts'
import { Instance, SIGNING_SECRET } from './instance.ts'
import type { Life } from './life.ts'
import type { Stage } from './stage.ts'

interface Delivery {
  readonly id: string
  readonly addressed: AddressedEvent
  attempts: number
}

/** One attempt on its way. */
interface OpenAttempt {
  readonly delivery: Delivery
  readonly sentAt: number
  readonly life: Life
  readonly timeOut: () => void
}

/** When a queue gives a job to another worker, though it has not heard of the end of the first. */
const STALLED_AFTER_MS = 90_000

/** What the service takes for an acknowledgement, and the outcomes that complete a job. */
const ACKNOWLEDGEMENTS: ReadonlySet<string> = new Set(['204', 'applied', 'unhandled', 'duplicate', 'stale'])

/**
 * The notes service: it sends each delivery again until it is acknowledged, as often as the contract says (§8). Or a queue,
 * whose jobs run again as often, and take their time.
 */
export class Service {
  readonly #stage: Stage
  readonly #instances: [Instance, ...Instance[]]
  readonly #open = new Set<OpenAttempt>()
  #deliveries = 0

  constructor(stage: Stage) {
    this.#stage = stage
    const [first = 0, ...others] = stage.circumstances.skewsMs
    const start = (skewMs: number, index: number) =>
      new Instance(`instance ${index + 1}`, skewMs, stage, (life) => this.#loseConnections(life))
    this.#instances = [start(first, 0), ...others.map((skewMs, index) => start(skewMs, index + 1))]
  }

  get instances(): readonly [Instance, ...Instance[]] {
    return this.#instances
  }

  deliver(addressed: AddressedEvent): void {
    this.#deliveries += 1
    this.#attempt({ id: `msg_${this.#deliveries}`, addressed, attempts: 0 })
  }

  #attempt(delivery: Delivery): void {
    const { random, schedule } = this.#stage
    delivery.attempts += 1
    const instance = random.pick(this.#instances)
    const { life } = instance
    const attempt: OpenAttempt = {
      delivery,
      sentAt: schedule.now,
      life,
      timeOut: schedule.after(this.#isQueue ? STALLED_AFTER_MS : RECEIVER_DEADLINE_MS, () =>
        this.#fail(attempt, 'no answer in time'),
      ),
    }
    this.#open.add(attempt)
    this.#tell(`sends ${inWords(delivery.addressed)} to ${life.name}, as ${delivery.id}, attempt ${delivery.attempts}`)
    schedule.after(random.pick([0, 1, 3]), () => {
      if (life.dead) this.#fail(attempt, 'connection refused')
      else schedule.after(0, () => void this.#arrive(attempt, instance), life)
    })
  }

  async #arrive(attempt: OpenAttempt, instance: Instance): Promise<void> {
    const { schedule, judge, random } = this.#stage
    const { delivery, life } = attempt
    const receiver = instance.receiverOf(delivery.addressed.integration)
    const answer = await (this.#isQueue ? process(receiver, delivery) : respond(receiver, delivery, schedule.now))
    if (life.dead) return
    life.tell(`answers ${answer} to ${delivery.id}`)
    const acknowledged = ACKNOWLEDGEMENTS.has(answer)
    if (acknowledged) judge.acknowledged(delivery.addressed, attempt.sentAt)
    if (this.#stage.strikes('lostAnswer')) return
    schedule.after(random.pick([0, 1, 3]), () => {
      if (acknowledged) this.#settle(attempt)
      else this.#fail(attempt, answer)
    })
  }

  get #isQueue(): boolean {
    return this.#stage.circumstances.asked === 'by a queue'
  }

  #fail(attempt: OpenAttempt, why: string): void {
    if (!this.#settle(attempt)) return
    const { delivery } = attempt
    this.#stage.chronicle.count(`failed attempt: ${why}`)
    const delayMs = RETRY_DELAYS_MS[delivery.attempts - 1]
    if (delivery.attempts === MAX_DELIVERY_ATTEMPTS || delayMs === undefined) {
      this.#stage.judge.violated(
        `${inWords(delivery.addressed)} was never acknowledged, though the faults had stopped.`,
      )
      return
    }
    this.#tell(`${delivery.id} has failed: ${why}`)
    this.#stage.schedule.after(delayMs, () => this.#attempt(delivery))
  }

  /** @returns whether it was open */
  #settle(attempt: OpenAttempt): boolean {
    attempt.timeOut()
    return this.#open.delete(attempt)
  }

  #loseConnections(life: Life): void {
    for (const attempt of this.#open) if (attempt.life === life) this.#fail(attempt, 'connection lost')
  }

  #tell(what: string): void {
    this.#stage.chronicle.tell('service', what)
  }
}

const encoder = new TextEncoder()

async function respond(receiver: Receiver, { id, addressed }: Delivery, now: number): Promise<string> {
  const { headers, body } = await signAttempt(SIGNING_SECRET, addressed.event, { webhookId: id, signedAt: now })
  const readBody = async () => ({ status: 'read', bytes: encoder.encode(body) }) as const
  return String((await receiver.respond({ method: 'POST', path: '/', headers, readBody })).status)
}

async function process(receiver: Receiver, { addressed }: Delivery): Promise<string> {
  return (await receiver.process(addressed.event)).status
}

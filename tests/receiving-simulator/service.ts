import { MAX_DELIVERY_ATTEMPTS, RECEIVER_DEADLINE_MS, RETRY_DELAYS_MS } from '@notewire/protocol'
import type { Receiver } from '@notewire/webhooks'
import { signAttempt } from '@notewire/webhooks/testing'
import type { HistoryContext } from './history-context.ts'
import { Instance, SIGNING_SECRET } from './instance.ts'
import { type AddressedEvent, describeEvent } from './scenario.ts'
import type { SimulatedProcess } from './simulated-process.ts'

interface Delivery {
  readonly id: string
  readonly addressed: AddressedEvent
  attempts: number
}

/** An attempt that is not answered yet. */
interface OpenAttempt {
  readonly delivery: Delivery
  readonly sentAt: number
  readonly process: SimulatedProcess
  readonly timeOut: () => void
}

/** The time after which a queue passes a job to another worker. */
const STALLED_AFTER_MS = 90_000

/** The status of an acknowledgement, and the outcomes that complete a job. */
const ACKNOWLEDGEMENTS: ReadonlySet<string> = new Set(['204', 'applied', 'unhandled', 'duplicate', 'stale'])

/**
 * The notes service, which repeats each delivery until it is acknowledged, as often as the contract says (§8). Or a queue,
 * which repeats its jobs as often.
 */
export class Service {
  readonly #context: HistoryContext
  readonly #instances: [Instance, ...Instance[]]
  readonly #open = new Set<OpenAttempt>()
  #deliveries = 0

  constructor(context: HistoryContext) {
    this.#context = context
    const [first = 0, ...others] = context.scenario.skewsMs
    const start = (skewMs: number, index: number) =>
      new Instance(`instance ${index + 1}`, skewMs, context, (process) => this.#loseConnections(process))
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
    const { random, schedule } = this.#context
    delivery.attempts += 1
    const instance = random.pick(this.#instances)
    const { process } = instance
    const attempt: OpenAttempt = {
      delivery,
      sentAt: schedule.now,
      process,
      timeOut: schedule.after(this.#isQueue ? STALLED_AFTER_MS : RECEIVER_DEADLINE_MS, () =>
        this.#fail(attempt, 'no answer in time'),
      ),
    }
    this.#open.add(attempt)
    this.#tell(
      `sends ${describeEvent(delivery.addressed)} to ${process.name}, as ${delivery.id}, attempt ${delivery.attempts}`,
    )
    schedule.after(random.pick([0, 1, 3]), () => {
      if (process.dead) this.#fail(attempt, 'connection refused')
      else schedule.after(0, () => void this.#arrive(attempt, instance), process)
    })
  }

  async #arrive(attempt: OpenAttempt, instance: Instance): Promise<void> {
    const { schedule, checker, random } = this.#context
    const { delivery, process } = attempt
    const receiver = instance.receiverOf(delivery.addressed.integration)
    const answer = await (this.#isQueue ? runJob(receiver, delivery) : respond(receiver, delivery, schedule.now))
    if (process.dead) return
    process.tell(`answers ${answer} to ${delivery.id}`)
    const acknowledged = ACKNOWLEDGEMENTS.has(answer)
    if (acknowledged) checker.acknowledged(delivery.addressed, attempt.sentAt)
    if (this.#context.occurs('lostAnswer')) return
    schedule.after(random.pick([0, 1, 3]), () => {
      if (acknowledged) this.#end(attempt)
      else this.#fail(attempt, answer)
    })
  }

  get #isQueue(): boolean {
    return this.#context.scenario.deliveredBy === 'queue'
  }

  #fail(attempt: OpenAttempt, why: string): void {
    if (!this.#end(attempt)) return
    const { delivery } = attempt
    this.#context.chronicle.count(`failed attempt: ${why}`)
    const delayMs = RETRY_DELAYS_MS[delivery.attempts - 1]
    if (delivery.attempts === MAX_DELIVERY_ATTEMPTS || delayMs === undefined) {
      this.#context.checker.violated(
        `${describeEvent(delivery.addressed)} was never acknowledged, although the faults had ended.`,
      )
      return
    }
    this.#tell(`${delivery.id} has failed: ${why}`)
    this.#context.schedule.after(delayMs, () => this.#attempt(delivery))
  }

  /** @returns whether the attempt was open */
  #end(attempt: OpenAttempt): boolean {
    attempt.timeOut()
    return this.#open.delete(attempt)
  }

  #loseConnections(process: SimulatedProcess): void {
    for (const attempt of this.#open) if (attempt.process === process) this.#fail(attempt, 'connection lost')
  }

  #tell(what: string): void {
    this.#context.chronicle.tell('service', what)
  }
}

const encoder = new TextEncoder()

async function respond(receiver: Receiver, { id, addressed }: Delivery, now: number): Promise<string> {
  const { headers, body } = await signAttempt(SIGNING_SECRET, addressed.event, { webhookId: id, signedAt: now })
  const readBody = async () => ({ status: 'read', bytes: encoder.encode(body) }) as const
  return String((await receiver.respond({ method: 'POST', path: '/', headers, readBody })).status)
}

async function runJob(receiver: Receiver, { addressed }: Delivery): Promise<string> {
  return (await receiver.process(addressed.event)).status
}

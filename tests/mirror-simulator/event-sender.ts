import { signAttempt } from '@notewire/webhooks/testing'
import type { EventMessage } from './event-message.ts'
import type { HistoryContext } from './history-context.ts'
import { type Instance, SIGNING_SECRET } from './instance.ts'

/** The delays before retries of a delivery. They are shorter than those of the contract, so that retries happen within a history. */
const RETRY_DELAYS_MS = [1_000, 30_000, 300_000] as const
const ANSWER_WITHIN_MS = 10_000

/** Delivers events to the instances, as the service would: late, repeatedly, in any order, or never. */
export class EventSender {
  readonly #context: HistoryContext
  readonly #instances: readonly [Instance, ...Instance[]]

  constructor(context: HistoryContext, instances: readonly [Instance, ...Instance[]]) {
    this.#context = context
    this.#instances = instances
    context.world.onDelivery((message) => this.send(message))
  }

  send(message: EventMessage): void {
    const { chronicle } = this.#context
    if (this.#context.occurs('lostEvent')) {
      this.#log(message, 'is lost')
      return
    }
    const copies = this.#context.occurs('repeatedEvent') ? this.#context.random.integer(2, 3) : 1
    // Repeated deliveries arrive at different times, or at the same time.
    const isSameTime = this.#context.random.chance(0.5)
    const delayMs = this.#delayMs()
    for (let copy = 0; copy < copies; copy += 1) this.#send(message, isSameTime ? delayMs : this.#delayMs(), 0)
    chronicle.count('event: sent')
  }

  #send(message: EventMessage, delayMs: number, failures: number): void {
    this.#context.schedule.after(delayMs, () => void this.deliver(message, failures))
  }

  /** Makes one attempt to deliver an event, now. */
  async deliver(message: EventMessage, failures = 0): Promise<void> {
    const { random, schedule, logicalClock, checker } = this.#context
    const instance = random.pick(this.#instances)
    const { process } = instance
    let isOpen = true
    const fail = (why: string) => {
      if (!isOpen) return
      isOpen = false
      this.#log(message, why)
      const delayMs = RETRY_DELAYS_MS[failures]
      if (delayMs !== undefined) this.#send(message, delayMs, failures + 1)
    }
    if (process.dead) {
      fail('finds no running process')
      return
    }
    const callOff = schedule.after(ANSWER_WITHIN_MS, () => fail('is not answered in time'))
    const arrivedAt = logicalClock.next()
    this.#log(message, `arrives at ${process.name}`)
    const status = await instance.receive(await signed(message, schedule.now))
    if (process.dead) return
    callOff()
    this.#log(message, `is answered ${status}`)
    if (status !== 204) {
      fail('has failed')
      return
    }
    isOpen = false
    await checker.onAcknowledged(message, arrivedAt)
    instance.onAcknowledged()
  }

  #delayMs(): number {
    const { random, scenario } = this.#context
    return 1 + random.integer(0, random.pick([1, 20, scenario.eventDelayMs]))
  }

  #log({ id, kind, noteId }: EventMessage, what: string): void {
    const { world, chronicle, inWords } = this.#context
    if (inWords) chronicle.tell('sender', `${kind} of ${world.find(noteId)?.name} (${id}) ${what}`)
  }
}

const encoder = new TextEncoder()

async function signed({ id, body }: EventMessage, now: number) {
  const attempt = await signAttempt(SIGNING_SECRET, body, { webhookId: id, signedAt: now })
  const readBody = async () => ({ status: 'read', bytes: encoder.encode(attempt.body) }) as const
  return { method: 'POST', path: '/', headers: attempt.headers, readBody }
}

import { signAttempt } from '@notewire/webhooks/testing'
import type { Instance } from './instance.ts'
import type { Letter } from './letter.ts'
import { SIGNING_SECRET } from './signing-secret.ts'
import type { Stage } from './stage.ts'

/** After how long a delivery that was not acknowledged comes again: less patient than the contract, so that it happens. */
const RETRY_DELAYS_MS = [1_000, 30_000, 300_000] as const
const ANSWER_WITHIN_MS = 10_000

/** Carries events to the instances: late, twice, in any order, or never. */
export class Post {
  readonly #stage: Stage
  readonly #instances: readonly [Instance, ...Instance[]]
  #isClosed = false

  constructor(stage: Stage, instances: readonly [Instance, ...Instance[]]) {
    this.#stage = stage
    this.#instances = instances
    stage.world.onDelivery((letter) => this.take(letter))
  }

  take(letter: Letter): void {
    if (this.#isClosed) return
    const { chronicle } = this.#stage
    if (this.#stage.strikes('lostEvent')) {
      this.#tell(letter, 'is lost')
      return
    }
    const copies = this.#stage.strikes('repeatedEvent') ? this.#stage.random.integer(2, 3) : 1
    // Copies come at any time, or at once.
    const areTogether = this.#stage.random.chance(0.5)
    const delayMs = this.#delayMs()
    for (let copy = 0; copy < copies; copy += 1) this.#send(letter, areTogether ? delayMs : this.#delayMs(), 0)
    chronicle.count('event: sent')
  }

  /** From now on what is under way is lost. */
  close(): void {
    this.#isClosed = true
  }

  #send(letter: Letter, delayMs: number, failures: number): void {
    this.#stage.schedule.after(delayMs, () => void this.#deliver(letter, failures))
  }

  async #deliver(letter: Letter, failures: number): Promise<void> {
    if (this.#isClosed) return
    const { random, schedule, moments, judge } = this.#stage
    const instance = random.pick(this.#instances)
    const { life } = instance
    let isOpen = true
    const fail = (why: string) => {
      if (!isOpen) return
      isOpen = false
      this.#tell(letter, why)
      const delayMs = RETRY_DELAYS_MS[failures]
      if (delayMs !== undefined) this.#send(letter, delayMs, failures + 1)
    }
    if (life.dead) {
      fail('finds nobody')
      return
    }
    const callOff = schedule.after(ANSWER_WITHIN_MS, () => fail('is not answered in time'))
    const arrivedAt = moments.next()
    this.#tell(letter, `arrives at ${life.name}`)
    const status = await instance.receive(await signed(letter, schedule.now))
    if (life.dead) return
    callOff()
    this.#tell(letter, `is answered ${status}`)
    if (status !== 204) {
      fail('has failed')
      return
    }
    isOpen = false
    await judge.acknowledged(letter, arrivedAt)
    instance.heard()
  }

  #delayMs(): number {
    const { random, circumstances } = this.#stage
    return 1 + random.integer(0, random.pick([1, 20, circumstances.eventDelayMs]))
  }

  #tell({ id, kind, noteId }: Letter, what: string): void {
    const { world, chronicle, inWords } = this.#stage
    if (inWords) chronicle.tell('post', `${kind} of ${world.find(noteId)?.name} (${id}) ${what}`)
  }
}

const encoder = new TextEncoder()

async function signed({ id, body }: Letter, now: number) {
  const attempt = await signAttempt(SIGNING_SECRET, body, { webhookId: id, signedAt: now })
  const readBody = async () => ({ status: 'read', bytes: encoder.encode(attempt.body) }) as const
  return { method: 'POST', path: '/', headers: attempt.headers, readBody }
}

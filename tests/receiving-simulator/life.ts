import type { Clock } from '@notewire/protocol'
import type { Claim } from '@notewire/webhooks'
import { never } from '../simulation/never.ts'
import type { Owner } from '../simulation/schedule.ts'
import type { AddressedEvent } from './circumstances.ts'
import { type AskingProcess, TransactionLostError } from './database.ts'
import type { Grant } from './handler-call.ts'
import type { Stage } from './stage.ts'

const HOLD_UPS_MS = [300, 5_000, 22_000, 60_000] as const

/** One process of the application, from its start to its end. Once it is dead, nothing of it goes on. */
export class Life implements Owner, AskingProcess {
  readonly name: string
  readonly clock: Clock
  dead = false
  /** When it was asked to stop. */
  closingSince = Number.POSITIVE_INFINITY
  frozenUntil = Number.NEGATIVE_INFINITY
  readonly #stage: Stage
  readonly #onEnd: () => void
  readonly #grants = new Set<Grant>()
  readonly #held = new Map<string, Grant>()

  constructor(name: string, skewMs: number, stage: Stage, onEnd: () => void) {
    this.name = name
    this.#stage = stage
    this.#onEnd = onEnd
    this.clock = stage.schedule.clock(skewMs, this)
  }

  tell(what: string): void {
    this.#stage.chronicle.tell(this.name, what)
  }

  /** The process ends, asked or not. */
  end(how: string): void {
    if (this.dead) return
    this.tell(how)
    this.dead = true
    this.#onEnd()
  }

  /** @returns whether it did */
  mayCrash(where: string): boolean {
    if (this.#stage.strikes('crash')) this.end(`crashes ${where}`)
    return this.dead
  }

  mayFreeze(): void {
    if (this.dead || !this.#stage.strikes('freeze')) return
    const ms = this.#stage.random.pick(HOLD_UPS_MS)
    this.tell(`stands still for ${ms} ms`)
    this.frozenUntil = this.#stage.schedule.now + ms
    this.#beTroubled()
  }

  thaw(): void {
    this.frozenUntil = Number.NEGATIVE_INFINITY
  }

  /** What the process waits for when it has died. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.dead ? never() : this.clock.sleep(ms, signal)
  }

  /** The store has granted it a claim, of which it does not know yet. */
  grant(grant: Grant): void {
    this.#grants.add(grant)
    if (this.frozenUntil > this.#stage.schedule.now) grant.troubled = true
  }

  /** Knows of a claim, for the handler that runs under it. */
  hold(grant: Grant): void {
    this.#held.set(keyOf(grant.claim), grant)
  }

  /** The claim under which a handler runs. */
  grantOf({ integration, event }: AddressedEvent): Grant | undefined {
    return this.#held.get(`${integration} ${event.event_id}`)
  }

  /**
   * Asks something of the database over the network: the question takes its time, takes effect in one instant, and the
   * answer takes its time. Each of the three may fail.
   */
  ask<Answer>(
    question: string,
    effect: () => Promise<Answer>,
    onFailure: () => void = () => undefined,
  ): Promise<Answer> {
    if (this.dead || this.mayCrash(`before it ${question}`)) return never<Answer>()
    const { schedule, random } = this.#stage
    this.mayFreeze()
    return new Promise<Answer>((resolve, reject) => {
      const failure = this.#stage.strikes('storeError') ? random.pick(['before', 'after', 'late']) : 'none'
      const fail = (when: string) => {
        onFailure()
        this.tell(`${question}: the database fails ${when}`)
        reject(new Error('the database does not answer'))
      }
      if (failure === 'before') {
        schedule.after(this.#latencyMs(), () => fail('before'), this)
        return
      }
      if (failure === 'late') {
        onFailure()
        schedule.after(this.#latencyMs(), () => fail('for now'), this)
      }
      schedule.after(this.#latencyMs() + (failure === 'late' ? random.pick(HOLD_UPS_MS) : 0), () => {
        effect().then(
          (answer) => {
            this.tell(`${question}: ${wordFor(answer)}${failure === 'late' ? ', too late' : ''}`)
            if (failure === 'late' || this.mayCrash(`after it ${question}`)) return
            if (failure === 'after') schedule.after(this.#latencyMs(), () => fail('after it took effect'), this)
            else schedule.after(this.#latencyMs(), () => resolve(answer), this)
          },
          (error: unknown) => {
            // A transaction that lost its claim fails by right; nothing else does.
            if (error instanceof TransactionLostError) schedule.after(this.#latencyMs(), () => reject(error), this)
            else this.#stage.judge.violated(`${this.name} ${question}, and the store fails by itself: ${String(error)}`)
          },
        )
      })
    })
  }

  #beTroubled(): void {
    for (const grant of this.#grants) grant.troubled = true
  }

  #latencyMs(): number {
    if (this.#stage.strikes('slowStore')) {
      this.#beTroubled()
      return this.#stage.random.integer(100, 4_000)
    }
    return this.#stage.random.pick([0, 0, 1, 1, 2, 5, 20])
  }
}

function keyOf({ request: { integration, eventId } }: Claim): string {
  return `${integration} ${eventId}`
}

function wordFor(answer: unknown): string {
  if (typeof answer === 'object' && answer !== null && 'status' in answer) return String(answer.status)
  return answer === undefined ? 'done' : String(answer)
}

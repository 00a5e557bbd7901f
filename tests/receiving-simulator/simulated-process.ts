import type { Clock } from '@notewire/protocol'
import type { Claim } from '@notewire/webhooks/store'
import { never } from '../simulation/never.ts'
import type { Owner } from '../simulation/schedule.ts'
import type { Grant } from './handler-call.ts'
import type { HistoryContext } from './history-context.ts'
import type { AddressedEvent } from './scenario.ts'

const DELAYS_MS = [300, 5_000, 22_000, 60_000] as const

/** One process of the application, from its start to its end. After its end none of its steps run. */
export class SimulatedProcess implements Owner {
  readonly name: string
  readonly clock: Clock
  dead = false
  /** When it began to close. */
  closingSince = Number.POSITIVE_INFINITY
  frozenUntil = Number.NEGATIVE_INFINITY
  readonly #context: HistoryContext
  readonly #onEnd: () => void
  readonly #grants = new Set<Grant>()
  readonly #received = new Map<string, Grant>()

  constructor(name: string, skewMs: number, context: HistoryContext, onEnd: () => void) {
    this.name = name
    this.#context = context
    this.#onEnd = onEnd
    this.clock = context.schedule.clock(skewMs, this)
  }

  tell(what: string): void {
    this.#context.chronicle.tell(this.name, what)
  }

  /** Ends the process: a stop, a crash or a kill. */
  end(how: string): void {
    if (this.dead) return
    this.tell(how)
    this.dead = true
    this.#onEnd()
  }

  /** @returns whether the process is dead */
  maybeCrash(where: string): boolean {
    if (this.#context.occurs('crash')) this.end(`crashes ${where}`)
    return this.dead
  }

  maybeFreeze(): void {
    if (this.dead || !this.#context.occurs('freeze')) return
    const ms = this.#context.random.pick(DELAYS_MS)
    this.tell(`stands still for ${ms} ms`)
    this.frozenUntil = this.#context.schedule.now + ms
    this.#allowExpiry()
  }

  unfreeze(): void {
    this.frozenUntil = Number.NEGATIVE_INFINITY
  }

  /** Never resolves if the process is dead. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.dead ? never() : this.clock.sleep(ms, signal)
  }

  /** The store has granted the process a claim. The answer has not arrived yet. */
  addGrant(grant: Grant): void {
    this.#grants.add(grant)
    if (this.frozenUntil > this.#context.schedule.now) grant.mayExpire = true
  }

  /** The answer with the claim has arrived. */
  receiveGrant(grant: Grant): void {
    this.#received.set(keyOf(grant.claim), grant)
  }

  /** The claim of a running handler. */
  grantOf({ integration, event }: AddressedEvent): Grant | undefined {
    return this.#received.get(`${integration} ${event.event_id}`)
  }

  /**
   * Calls the database over the network: the request takes time, has its effect in one instant, and the answer takes
   * time. Each of the three may fail.
   */
  callDatabase<Result>(
    operation: string,
    effect: () => Promise<Result>,
    onFailure: () => void = () => undefined,
  ): Promise<Result> {
    if (this.dead || this.maybeCrash(`before it ${operation}`)) return never<Result>()
    const { schedule, random } = this.#context
    this.maybeFreeze()
    return new Promise<Result>((resolve, reject) => {
      const failure = this.#context.occurs('storeError') ? random.pick(['before', 'after', 'late']) : 'none'
      const fail = (when: string) => {
        onFailure()
        this.tell(`${operation}: the database fails ${when}`)
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
      schedule.after(this.#latencyMs() + (failure === 'late' ? random.pick(DELAYS_MS) : 0), () => {
        effect().then(
          (answer) => {
            this.tell(`${operation}: ${describe(answer)}${failure === 'late' ? ', too late' : ''}`)
            if (failure === 'late' || this.maybeCrash(`after it ${operation}`)) return
            if (failure === 'after') schedule.after(this.#latencyMs(), () => fail('after it took effect'), this)
            else schedule.after(this.#latencyMs(), () => resolve(answer), this)
          },
          (error: unknown) => {
            this.#context.checker.violated(
              `${this.name} ${operation}, and the store fails without a fault: ${String(error)}`,
            )
          },
        )
      })
    })
  }

  #allowExpiry(): void {
    for (const grant of this.#grants) grant.mayExpire = true
  }

  #latencyMs(): number {
    if (this.#context.occurs('slowStore')) {
      this.#allowExpiry()
      return this.#context.random.integer(100, 4_000)
    }
    return this.#context.random.pick([0, 0, 1, 1, 2, 5, 20])
  }
}

function keyOf({ request: { integration, eventId } }: Claim): string {
  return `${integration} ${eventId}`
}

function describe(answer: unknown): string {
  if (typeof answer === 'object' && answer !== null && 'status' in answer) return String(answer.status)
  return answer === undefined ? 'done' : String(answer)
}

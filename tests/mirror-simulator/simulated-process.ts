import type { Clock } from '@notewire/protocol'
import { never } from '../simulation/never.ts'
import type { Owner } from '../simulation/schedule.ts'
import { StoreDownError } from './errors.ts'
import type { HistoryContext } from './history-context.ts'

const DELAYS_MS = [300, 5_000, 70_000, 400_000] as const

/** One process, from its start to its death. After its death, none of its code continues. */
export class SimulatedProcess implements Owner {
  readonly name: string
  readonly clock: Clock
  dead = false
  frozenUntil = Number.NEGATIVE_INFINITY
  /** How many jobs it does. */
  jobs = 0
  /** The requests for transcripts that it waits for, by URL. */
  readonly reads = new Map<string, Set<object>>()
  /** Whether its client reads single notes from listings. These listings must then be complete. */
  readsFromList = (): boolean => false
  readonly #context: HistoryContext
  readonly #onEnd: () => void

  constructor(name: string, skewMs: number, context: HistoryContext, onEnd: () => void) {
    this.name = name
    this.#context = context
    this.#onEnd = onEnd
    const clock = context.schedule.clock(skewMs, this)
    // Jitter produces fractions, but clocks count whole milliseconds.
    const sleep: Clock['sleep'] = (ms, signal) => clock.sleep(Math.ceil(ms), signal)
    this.clock = { now: clock.now, sleep: (ms, signal) => (this.dead ? never() : sleep(ms, signal)) }
  }

  /** @param what  called only if the history is logged */
  log(what: () => string): void {
    if (this.#context.inWords) this.#context.chronicle.tell(this.name, what())
  }

  end(how: string): void {
    if (this.dead) return
    this.log(() => how)
    this.dead = true
    this.#onEnd()
  }

  unfreeze(): void {
    this.frozenUntil = Number.NEGATIVE_INFINITY
  }

  /**
   * Calls the store. The request and the result take time; the effect is atomic. Each step may fail, and the process may die before and
   * after the call.
   *
   * @param name  describes the call in the log
   * @param describe  describes the result in the log
   */
  callStore<Result>(
    name: () => string,
    effect: () => Promise<Result>,
    describe: (result: Result) => string,
  ): Promise<Result> {
    if (this.dead || this.#mayCrash(() => `before it ${name()}`)) return never<Result>()
    this.#mayFreeze()
    return new Promise<Result>((resolve, reject) => {
      const { schedule, random } = this.#context
      const failure = this.#context.occurs('storeError') ? random.pick(['before', 'after', 'late']) : 'none'
      const fail = (when: string) => {
        this.log(() => `${name()}: the store fails ${when}`)
        reject(new StoreDownError())
      }
      if (failure === 'before') return void schedule.after(this.#latencyMs(), () => fail('before'), this)
      if (failure === 'late') schedule.after(this.#latencyMs(), () => fail('for now'), this)

      const takeEffect = async () => {
        const result = await effect()
        this.log(() => `${name()}: ${describe(result)}${failure === 'late' ? ', too late' : ''}`)
        if (failure === 'late' || this.#mayCrash(() => `after it ${name()}`)) return
        if (failure === 'after') schedule.after(this.#latencyMs(), () => fail('after it took effect'), this)
        else if (random.chance(0.5)) resolve(result)
        else schedule.after(this.#latencyMs(), () => resolve(result), this)
      }
      // A call that was sent takes effect even if the process dies.
      const delayMs = this.#latencyMs() + (failure === 'late' ? random.pick(DELAYS_MS) : 0)
      schedule.after(delayMs, () => schedule.hold(takeEffect()))
    })
  }

  #mayCrash(where: () => string): boolean {
    if (!this.dead && this.#context.occurs('crash')) this.end(`crashes ${this.#context.inWords ? where() : ''}`)
    return this.dead
  }

  #mayFreeze(): void {
    if (!this.#context.occurs('freeze')) return
    const ms = this.#context.random.pick(DELAYS_MS)
    this.log(() => `freezes for ${ms} ms`)
    this.frozenUntil = this.#context.schedule.now + ms
  }

  #latencyMs(): number {
    if (this.#context.occurs('slowStore')) return this.#context.random.integer(100, 4_000)
    return this.#context.random.pick([0, 0, 0, 1, 1, 2, 5, 20])
  }
}

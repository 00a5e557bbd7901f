import type { Clock } from '@notewire/protocol'
import { never } from '../simulation/never.ts'
import type { Owner } from '../simulation/schedule.ts'
import type { Stage } from './stage.ts'
import { StoreDownError } from './store-down-error.ts'

const HOLD_UPS_MS = [300, 5_000, 70_000, 400_000] as const

/** One process, from its start to its end. Once it is dead, nothing of it goes on. */
export class Life implements Owner {
  readonly name: string
  readonly clock: Clock
  dead = false
  frozenUntil = Number.NEGATIVE_INFINITY
  /** Whether its client reads single notes from listings, which must be complete then. */
  readsFromList = (): boolean => false
  readonly #stage: Stage
  readonly #onEnd: () => void

  constructor(name: string, skewMs: number, stage: Stage, onEnd: () => void) {
    this.name = name
    this.#stage = stage
    this.#onEnd = onEnd
    const clock = stage.schedule.clock(skewMs, this)
    // Clocks count whole milliseconds, whatever jitter asks for.
    const sleep: Clock['sleep'] = (ms, signal) => clock.sleep(Math.ceil(ms), signal)
    this.clock = { now: clock.now, sleep: (ms, signal) => (this.dead ? never() : sleep(ms, signal)) }
  }

  /** @param what  made only where somebody reads it */
  tell(what: () => string): void {
    if (this.#stage.inWords) this.#stage.chronicle.tell(this.name, what())
  }

  end(how: string): void {
    if (this.dead) return
    this.tell(() => how)
    this.dead = true
    this.#onEnd()
  }

  thaw(): void {
    this.frozenUntil = Number.NEGATIVE_INFINITY
  }

  /**
   * Asks something of the store: the question takes its time, takes effect in one instant, and the answer takes its
   * time. Each of the three may fail, and the process may die before and after.
   *
   * @param words  say what came of it
   */
  ask<Answer>(
    question: () => string,
    effect: () => Promise<Answer>,
    words: (answer: Answer) => string,
  ): Promise<Answer> {
    if (this.dead || this.#mayCrash(() => `before it ${question()}`)) return never<Answer>()
    this.#mayFreeze()
    return new Promise<Answer>((resolve, reject) => {
      const { schedule, random } = this.#stage
      const failure = this.#stage.strikes('storeError') ? random.pick(['before', 'after', 'late']) : 'none'
      const fail = (when: string) => {
        this.tell(() => `${question()}: the store fails ${when}`)
        reject(new StoreDownError())
      }
      if (failure === 'before') return void schedule.after(this.#latencyMs(), () => fail('before'), this)
      if (failure === 'late') schedule.after(this.#latencyMs(), () => fail('for now'), this)

      const takeEffect = async () => {
        const answer = await effect()
        this.tell(() => `${question()}: ${words(answer)}${failure === 'late' ? ', too late' : ''}`)
        if (failure === 'late' || this.#mayCrash(() => `after it ${question()}`)) return
        if (failure === 'after') schedule.after(this.#latencyMs(), () => fail('after it took effect'), this)
        else if (random.chance(0.5)) resolve(answer)
        else schedule.after(this.#latencyMs(), () => resolve(answer), this)
      }
      // What has left a process for the store takes effect, whatever becomes of the process.
      const delayMs = this.#latencyMs() + (failure === 'late' ? random.pick(HOLD_UPS_MS) : 0)
      schedule.after(delayMs, () => schedule.hold(takeEffect()))
    })
  }

  #mayCrash(where: () => string): boolean {
    if (!this.dead && this.#stage.strikes('crash')) this.end(`crashes ${this.#stage.inWords ? where() : ''}`)
    return this.dead
  }

  #mayFreeze(): void {
    if (!this.#stage.strikes('freeze')) return
    const ms = this.#stage.random.pick(HOLD_UPS_MS)
    this.tell(() => `stands still for ${ms} ms`)
    this.frozenUntil = this.#stage.schedule.now + ms
  }

  #latencyMs(): number {
    if (this.#stage.strikes('slowStore')) return this.#stage.random.integer(100, 4_000)
    return this.#stage.random.pick([0, 0, 0, 1, 1, 2, 5, 20])
  }
}

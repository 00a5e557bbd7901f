import type { Clock } from '@notewire/protocol'
import type { Random } from './random.ts'

/** The owner of a step. Steps of a dead owner never run. Steps of a frozen owner run when it continues. */
export interface Owner {
  readonly dead: boolean
  readonly frozenUntil: number
}

interface Step {
  readonly at: number
  readonly tie: number
  readonly owner: Owner | undefined
  readonly run: () => void
}

/** Virtual time, in which one step happens after another. Steps of the same millisecond come in a random order. */
export class Schedule {
  now = Date.parse('2026-01-01T09:00:00.000Z')
  readonly #random: Random
  readonly #steps = new Set<Step>()
  readonly #held: Promise<unknown>[] = []

  constructor(random: Random) {
    this.#random = random
  }

  /** @returns calls it off */
  after(ms: number, run: () => void, owner?: Owner): () => void {
    const step = { at: this.now + Math.max(0, ms), tie: this.#random.fraction(), owner, run }
    this.#steps.add(step)
    return () => this.#steps.delete(step)
  }

  /** Has the next step wait for what takes real time. */
  hold(work: Promise<unknown>): void {
    this.#held.push(work)
  }

  /**
   * Runs the next step, and everything that follows from it at once.
   *
   * @returns whether there was one
   */
  async next(): Promise<boolean> {
    const step = this.#takeNext()
    if (step === undefined) return false
    this.now = Math.max(this.now, dueAt(step))
    step.run()
    await this.quiet()
    while (this.#held.length > 0) {
      await this.#held.pop()
      await this.quiet()
    }
    return true
  }

  /** A clock that shows this time, off by `skewMs`. */
  clock(skewMs: number, owner?: Owner): Clock {
    return {
      now: () => this.now + skewMs,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) {
            reject(signal.reason)
            return
          }
          const callOff = this.after(ms, resolve, owner)
          signal?.addEventListener('abort', () => {
            callOff()
            reject(signal.reason)
          })
        }),
    }
  }

  /** Comes after everything that follows from a step at once: after every microtask, however many they are. */
  quiet(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve))
  }

  #takeNext(): Step | undefined {
    let first: Step | undefined
    for (const step of this.#steps) {
      if (step.owner?.dead) this.#steps.delete(step)
      else if (first === undefined || comesBefore(step, first)) first = step
    }
    if (first !== undefined) this.#steps.delete(first)
    return first
  }
}

function comesBefore(one: Step, other: Step): boolean {
  const [at, otherAt] = [dueAt(one), dueAt(other)]
  return at < otherAt || (at === otherAt && one.tie < other.tie)
}

function dueAt({ at, owner }: Step): number {
  return owner === undefined ? at : Math.max(at, owner.frozenUntil)
}

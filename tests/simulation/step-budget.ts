import { never } from './never.ts'

/** How many steps may be taken. Without it, a history with a loop that does not end would not fail. */
export class StepBudget {
  /** Resolves when a step was asked for that was not left. */
  readonly exhausted: Promise<void>
  readonly #resolve: () => void
  #left: number

  constructor(steps: number) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.exhausted = promise
    this.#resolve = resolve
    this.#left = steps
  }

  /** Returns a store each call of which takes a step. A call without a step never returns. */
  of<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (name === 'integrations') return this.of(member as object)
        if (typeof member !== 'function') return member
        return (...values: unknown[]) => (this.#take() ? member.apply(target, values) : never())
      },
    })
  }

  #take(): boolean {
    this.#left -= 1
    if (this.#left < 0) this.#resolve()
    return this.#left >= 0
  }
}

/** Runs at most `count` tasks concurrently. The others wait in order. */
export class Slots {
  #free: number
  readonly #line: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#line.push(resolve))
    else this.#free -= 1
    try {
      return await task()
    } finally {
      const next = this.#line.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}

import type { Clock } from '@notewire/protocol'

/** Wakes whoever waits for news, and remembers news that nobody has waited for. */
export class Bell {
  readonly #clock: Clock
  #isRung = false
  #wake: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  readonly ring = (): void => {
    this.#isRung = true
    this.#wake?.()
  }

  /** Resolves with the next ring, after some time, or when the signal fires: the earliest. */
  async rung(withinMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    if (this.#isRung) woken.abort()
    await this.#clock.sleep(withinMs, AbortSignal.any([woken.signal, signal])).catch(() => undefined)
    this.#wake = undefined
    this.#isRung = false
  }
}

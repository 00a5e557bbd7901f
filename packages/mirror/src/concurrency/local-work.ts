import type { Clock } from '@notewire/protocol'
import type { TakenIntegration } from '../integrations/integration-store.ts'
import { Wakeup } from './wakeup.ts'

/** The integrations on which this process works, and its calls that wait for one of them. */
export class LocalWork {
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, ((taken: TakenIntegration) => void)[]>()
  readonly #changes = new Wakeup()

  /** Whether this process works on an integration. */
  isRunning(integration: string): boolean {
    return this.#running.has(integration)
  }

  /** Whether a call of this process waits for an integration. Other work on it then ends soon. */
  isAwaited(integration: string): boolean {
    return this.#waiting.has(integration)
  }

  /** Records that this process works on an integration until the work has ended. */
  async during<Result>(integration: string, work: () => Promise<Result>): Promise<Result> {
    this.#running.set(integration, (this.#running.get(integration) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const left = (this.#running.get(integration) ?? 1) - 1
      if (left === 0) this.#running.delete(integration)
      else this.#running.set(integration, left)
      this.#changes.wake()
    }
  }

  /** Hands an integration that was taken to the call that has waited for it longest. @returns whether one waits */
  handOver(taken: TakenIntegration): boolean {
    const take = this.#waiting.get(taken.record.integration)?.[0]
    take?.(taken)
    this.#changes.wake()
    return take !== undefined
  }

  /**
   * Waits for an integration, while `wait` tries to take it, or finds that it was handed over.
   *
   * @param release  called with the integration that was handed over if `wait` rejects
   */
  async next<Result>(
    integration: string,
    release: (taken: TakenIntegration) => Promise<unknown>,
    wait: (handedOver: () => TakenIntegration | undefined) => Promise<Result>,
  ): Promise<Result> {
    let handed: TakenIntegration | undefined
    const take = (taken: TakenIntegration) => {
      handed = taken
      this.#leave(integration, take)
    }
    this.#waiting.set(integration, [...(this.#waiting.get(integration) ?? []), take])
    try {
      return await wait(() => handed)
    } catch (error) {
      // If the store fails, the lease ends by itself.
      if (handed !== undefined) await release(handed).catch(() => undefined)
      throw error
    } finally {
      this.#leave(integration, take)
    }
  }

  /** Waits until work has ended or was handed over, for `ms` milliseconds at most. @throws the signal's reason */
  async nextChange(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
    await this.#changes.nextWithin(ms, clock, signal)
    signal.throwIfAborted()
  }

  #leave(integration: string, take: (taken: TakenIntegration) => void): void {
    const others = (this.#waiting.get(integration) ?? []).filter((other) => other !== take)
    if (others.length === 0) this.#waiting.delete(integration)
    else this.#waiting.set(integration, others)
  }
}

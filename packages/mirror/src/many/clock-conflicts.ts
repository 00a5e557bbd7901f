import { type IntegrationRecord, MAX_WAIT_MS, RANKS } from '../interfaces/integration-store.ts'
import { isAhead } from '../rules/time.ts'

/** How long this process remembers that it has worked on an integration, in milliseconds. */
const REMEMBERED_MS = 60_000

/** How long it leaves an integration to a process with another clock, in milliseconds. */
const LEFT_MS = 30_000

/** The same after it has lost a lease: the other process needs some time to finish. */
const LEFT_AFTER_LOSS_MS = 5_000

/**
 * The integrations that this process leaves to other processes for some seconds, because their clocks differ. Otherwise each process would find
 * what another has written overdue, or written by a wrong clock, and would work on the integration again and again, or take its lease.
 * A store on a server prevents this, because its clock counts. Times are readings of `monotonicNow`, unless they are named otherwise.
 */
export class ClockConflicts {
  readonly #endedAt = new Map<string, number>()
  /** When this process last found a schedule of another clock. */
  readonly #wrongAt = new Map<string, number>()
  readonly #leftUntil = new Map<string, number>()
  /** The integrations on which this process works. To a clock that is ahead, their leases seem to have ended. */
  readonly #running = new Set<string>()

  recordBegin(integration: string): void {
    this.#running.add(integration)
  }

  /** Records that this process no longer works on an integration. */
  recordEnd(integration: string, isLeaseLost: boolean, now: number): void {
    this.#running.delete(integration)
    this.#endedAt.delete(integration)
    this.#endedAt.set(integration, now)
    if (isLeaseLost) this.#leftUntil.set(integration, now + LEFT_AFTER_LOSS_MS)
    for (const [oldest, endedAt] of this.#endedAt) {
      if (now - endedAt <= REMEMBERED_MS) break
      this.#endedAt.delete(oldest)
      this.#wrongAt.delete(oldest)
    }
  }

  /**
   * Whether processes with other clocks have written the schedule of an integration twice within a minute since this process worked on it: it was
   * due before that, or is due too far ahead. Then this process leaves it to others. Once, a clock may have been wrong that is right again.
   *
   * @param time  the present, by the clock of this process
   */
  arises({ integration, dueAt, rank }: IntegrationRecord, time: number, now: number): boolean {
    const endedAt = this.#endedAt.get(integration)
    if (endedAt === undefined || now - endedAt > REMEMBERED_MS || dueAt === null || rank === RANKS.hint) return false
    const isWrong = dueAt > time + MAX_WAIT_MS || isAhead(time - (now - endedAt), dueAt)
    if (!isWrong) return false
    const isRepeated = now - (this.#wrongAt.get(integration) ?? Number.NEGATIVE_INFINITY) <= REMEMBERED_MS
    this.#endedAt.delete(integration)
    this.#wrongAt.set(integration, now)
    if (isRepeated) this.#leftUntil.set(integration, now + LEFT_MS)
    return isRepeated
  }

  /** Lists the integrations that this process must not take. */
  list(now: number): readonly string[] {
    for (const [integration, until] of this.#leftUntil) if (until <= now) this.#leftUntil.delete(integration)
    return [...this.#leftUntil.keys(), ...this.#running]
  }
}

import { type IntegrationRecord, MAX_WAIT_MS, RANKS } from '../integrations/integration-store.ts'
import { isAhead } from '../rules/time.ts'

/** How long this process remembers that it has worked on an integration, in milliseconds. */
const REMEMBERED_MS = 60_000

/** How long it leaves an integration to a process with another clock, in milliseconds. */
const LEFT_MS = 30_000

/** The same after it has lost a lease: the other process needs some time to finish. */
const LEFT_AFTER_LOSS_MS = 5_000

interface Ended {
  readonly at: number
  /** When this process has scheduled the next work, by its own clock. */
  readonly dueAt: number | null | undefined
}

/**
 * The integrations that this process leaves to other processes for some seconds, because their clocks differ. Otherwise each process would find
 * what another has written overdue, or written by a wrong clock, and would work on the integration again and again, or take its lease.
 * A store on a server prevents this, because its clock counts. Times are readings of `monotonicNow`, unless they are named otherwise.
 */
export class ClockConflicts {
  readonly #ended = new Map<string, Ended>()
  /** When this process last found a schedule of another clock. */
  readonly #wrongAt = new Map<string, number>()
  readonly #leftUntil = new Map<string, number>()
  /** The integrations on which this process works. To a clock that is ahead, their leases seem to have ended. */
  readonly #running = new Set<string>()

  recordBegin(integration: string): void {
    this.#running.add(integration)
  }

  /**
   * Records that this process no longer works on an integration.
   *
   * @param dueAt  when it has scheduled the next work; `undefined` if it has lost its lease
   */
  recordEnd(integration: string, dueAt: number | null | undefined, now: number): void {
    this.#running.delete(integration)
    this.#ended.delete(integration)
    this.#ended.set(integration, { at: now, dueAt })
    if (dueAt === undefined) this.#leftUntil.set(integration, now + LEFT_AFTER_LOSS_MS)
    for (const [oldest, { at }] of this.#ended) {
      if (now - at <= REMEMBERED_MS) break
      this.#ended.delete(oldest)
      this.#wrongAt.delete(oldest)
    }
  }

  /**
   * Whether processes with other clocks have written the schedule of an integration twice within a minute since this process worked on it: it was
   * due before that, or is due too far ahead. Then this process leaves it to others. Once, a clock may have been wrong that is right again. A schedule
   * of this process is no conflict, even if its clock has been set since.
   *
   * @param time  the present, by the clock of this process
   */
  arises({ integration, dueAt, rank }: IntegrationRecord, time: number, now: number): boolean {
    const ended = this.#ended.get(integration)
    if (ended === undefined || now - ended.at > REMEMBERED_MS) return false
    if (dueAt === null || dueAt === ended.dueAt || rank === RANKS.hint) return false
    const isWrong = dueAt > time + MAX_WAIT_MS || isAhead(time - (now - ended.at), dueAt)
    if (!isWrong) return false
    const isRepeated = now - (this.#wrongAt.get(integration) ?? Number.NEGATIVE_INFINITY) <= REMEMBERED_MS
    this.#ended.delete(integration)
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

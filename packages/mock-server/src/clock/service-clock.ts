import type { Clock } from '@notewire/protocol'
import type { Duration } from './duration.ts'

/** The time that a service follows: its own, which a test advances, or the machine's. */
export type ClockMode = 'virtual' | 'real'

/** The start of every virtual clock: 2026-01-01T00:00:00.000Z. */
export const CLOCK_START = Date.UTC(2026, 0, 1)

/**
 * The clock of one service, for its timestamps, signatures and timers. Pass it to the receiver under test, so that both sides
 * agree on the time.
 *
 * Virtual time advances only while {@link ServiceClock.advance} or `service.settled()` is awaited, and stands still while an
 * attempt is in flight. If the handler of an attempt sleeps on this clock, or does not answer, time advances at the speed of real
 * time, and each wait takes at most one second. This also applies to `service.connect()` if the receiver does not answer.
 *
 * `settled()` does not wait for sleeps. After `service.close()` time stands still, and a sleep ends only if its signal fires.
 */
export interface ServiceClock extends Clock {
  /**
   * Advances virtual time, does everything that is due until then in order of time, and resolves when nothing is in flight.
   *
   * @throws `MockServerError` `clock_not_virtual` when the clock follows the machine
   * @throws `MockServerError` `option_invalid` when the duration is malformed
   * @example
   * ```ts
   * import { createNotesService } from '@notewire/mock-server'
   *
   * await using service = await createNotesService()
   * await service.connect(() => () => new Response(null, { status: 503 }))
   * await service.clock.advance('30s')
   * console.log(service.attempts.length) // 2: the verification and its first retry
   * ```
   */
  advance(duration: Duration): Promise<void>
}

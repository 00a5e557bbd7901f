import type { Clock } from '@notewire/protocol'
import type { Duration } from './duration.ts'

/** Whose time a service follows: its own, which a test moves, or the machine's. */
export type ClockMode = 'virtual' | 'real'

/** Where every virtual clock starts: 2026-01-01T00:00:00.000Z. */
export const CLOCK_START = Date.UTC(2026, 0, 1)

/**
 * The clock of one service: what it stamps, signs and waits by. Hand it to the receiver and the client under test, so that
 * both sides agree on the time.
 *
 * Virtual time moves only while {@link ServiceClock.advance} or `service.settled()` is awaited, and stands still while an
 * attempt is in flight. When an attempt waits on this very clock, or hangs, time goes on as fast as real time does, and
 * a wait of more than a second takes one. So it does for `service.connect()`, when the receiver hangs.
 *
 * A sleep never keeps `settled()` waiting. After `service.close()` time stands still: a sleep ends only by its signal.
 */
export interface ServiceClock extends Clock {
  /**
   * Moves virtual time on, does everything that falls due on the way in order of time, and returns when it is quiet.
   *
   * @throws `ClockError` when the clock follows the machine
   * @throws `OptionError` when the duration is malformed
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

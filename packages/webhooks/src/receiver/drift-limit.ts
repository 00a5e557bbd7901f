import { type Clock, type Drift, isKnownEvent, type WebhookEvent } from '@notewire/protocol'
import { RateLimit } from './rate-limit.ts'

const RATE = { most: 1, windowMs: 3_600_000 }

/** Decides which drift is told: each kind of it once an hour, however many events show it. */
export class DriftLimit {
  readonly #clock: Clock
  readonly #limits = new Map<string, RateLimit>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether the drift is to be told now. The kinds are few: those of unknown events count as one. */
  admits(event: WebhookEvent, { path, found }: Drift): boolean {
    const kind = `${isKnownEvent(event) ? event.event_type : ''} ${path} ${found}`
    const limit = this.#limits.get(kind) ?? new RateLimit(this.#clock, RATE)
    this.#limits.set(kind, limit)
    return limit.admit().status === 'admitted'
  }
}

import type { WebhookEvent } from './event.ts'

/** One field of an event that is not as the contract says, and without which the event can be processed (open point 31). */
export interface Drift {
  /** Which field: `occurred_at`, `data.recording_session_id`. */
  readonly path: string
  /** What the contract says is there, in words. */
  readonly expected: string
  /** The type of what was found: `nothing`, `null`, `number`, … Never the value. */
  readonly found: string
}

/** An event as it was read. */
export interface EventReading {
  /** The event, without the fields of the wrong type. */
  readonly event: WebhookEvent
  /** Where the body differs from the contract. */
  readonly drift: readonly Drift[]
}

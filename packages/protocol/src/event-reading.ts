import type { WebhookEvent } from './event.ts'

/** An optional field of an event that does not match the contract (open point 31). */
export interface Drift {
  /** Which field: `occurred_at`, `data.recording_session_id`. */
  readonly path: string
  /** What should be there, in words. */
  readonly expected: string
  /** The type of what was found: `nothing`, `null`, `number`, … Never the value. */
  readonly found: string
}

/** An event, and where its body differs from the contract. */
export interface EventReading {
  /** The event, without the fields of the wrong type. */
  readonly event: WebhookEvent
  readonly drift: readonly Drift[]
}

import type { Integration } from './integrations.ts'

/** What a handler has done to the world for an event. */
export interface Effect {
  readonly integration: Integration
  readonly eventId: string
  /** The run of the handler, which begins with the name of its worker. */
  readonly run: string
}

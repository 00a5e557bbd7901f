import type { Scope } from './scopes.ts'

/** What a handler has done to the world for an event. */
export interface Effect {
  readonly scope: Scope
  readonly eventId: string
  /** The run of the handler, which begins with the name of its worker. */
  readonly run: string
}

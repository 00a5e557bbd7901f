import type { Dispatch } from './dispatch.ts'
import type { Endpoint } from './endpoint.ts'

/** The reordered deliveries: each leaves after the next attempt at its endpoint was answered. */
export class Overtaken {
  readonly #leaving = new Map<Dispatch, () => void>()

  /** Holds a delivery back. `leave` is called once. */
  hold(dispatch: Dispatch, leave: () => void): void {
    this.#leaving.set(dispatch, leave)
  }

  /** Releases a delivery, if it is held back. */
  leave(dispatch: Dispatch): void {
    const leave = this.#leaving.get(dispatch)
    this.#leaving.delete(dispatch)
    leave?.()
  }

  /** Releases every delivery that is held back for an endpoint. */
  leaveAt(endpoint: Endpoint): void {
    for (const dispatch of this.#leaving.keys()) if (dispatch.endpoint === endpoint) this.leave(dispatch)
  }

  /** Drops a delivery that will not leave. */
  forget(dispatch: Dispatch): void {
    this.#leaving.delete(dispatch)
  }
}

import type { Dispatch } from './dispatch.ts'
import type { Endpoint } from './endpoint.ts'

/** The deliveries that leave once another one to their endpoint has been answered. */
export class Overtaken {
  readonly #leaving = new Map<Dispatch, () => void>()

  /** Holds a delivery back. `leave` is called once. */
  hold(dispatch: Dispatch, leave: () => void): void {
    this.#leaving.set(dispatch, leave)
  }

  /** Lets one leave now, where it is held back. */
  leave(dispatch: Dispatch): void {
    const leave = this.#leaving.get(dispatch)
    this.#leaving.delete(dispatch)
    leave?.()
  }

  /** Lets all leave that were held back at an endpoint. */
  leaveAt(endpoint: Endpoint): void {
    for (const dispatch of this.#leaving.keys()) if (dispatch.endpoint === endpoint) this.leave(dispatch)
  }

  /** Forgets one that will not leave. */
  forget(dispatch: Dispatch): void {
    this.#leaving.delete(dispatch)
  }
}

/** Tells the work under a claim that it should stop. */
export class Stop {
  #reason: DOMException | undefined
  #controller: AbortController | undefined

  get ordered(): boolean {
    return this.#reason !== undefined
  }

  /** Made when somebody asks for it, since few handlers do, and in the request that asks, since Workers allow no other. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.ordered) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  order(why: string): void {
    this.#reason ??= new DOMException(why, 'AbortError')
    this.#controller?.abort(this.#reason)
  }
}

/** An `AbortController` that is created when its signal is first read: most handlers never read it. */
export class LazyAbort {
  #reason: DOMException | undefined
  #controller: AbortController | undefined

  /** The reason of the signal, once it has fired. */
  get reason(): DOMException | undefined {
    return this.#reason
  }

  get aborted(): boolean {
    return this.#reason !== undefined
  }

  /**
   * Created when it is first read, because on Cloudflare Workers a request can only use an `AbortSignal` that was created during that
   * request.
   */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.aborted) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  abort(why: string): void {
    this.#reason ??= new DOMException(why, 'AbortError')
    this.#controller?.abort(this.#reason)
  }
}

/**
 * Whether a handler threw because its signal had fired: it threw the signal's reason, an `AbortError`, or an error whose
 * `cause` is the reason.
 */
export function isAbort(error: unknown, reason: DOMException | undefined): boolean {
  if (reason === undefined) return false
  if (error === reason) return true
  if (typeof error !== 'object' || error === null) return false
  try {
    const { name, cause }: { readonly name?: unknown; readonly cause?: unknown } = error
    return name === 'AbortError' || cause === reason
  } catch {
    // Getters and Proxies can throw when they are read.
    return false
  }
}

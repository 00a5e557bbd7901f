/** When this many integrations in a row have been rate limited, the other integrations of the service wait, too. */
const MIN_LIMITED = 3

const DEFAULT_PAUSE_MS = 30_000

/** Pauses of all integrations of a service, after the service has rate limited several of them. Each process has its own. */
export class SharedPauses {
  readonly #limited = new Map<string, Set<string>>()
  readonly #pausedUntil = new Map<string, number>()

  /** The time before which no integration of a service sends a request; 0 if there is no pause. */
  until(baseUrl: string): number {
    return this.#pausedUntil.get(baseUrl) ?? 0
  }

  /** Records that the service has answered a request of an integration. */
  recordAnswer(baseUrl: string): void {
    this.#limited.delete(baseUrl)
    this.#pausedUntil.delete(baseUrl)
  }

  /** Records that the service has rate limited an integration. If it limits several in a row, they probably share a limit. */
  recordRateLimit(baseUrl: string, integration: string, now: number, retryAfterMs = DEFAULT_PAUSE_MS): void {
    const limited = this.#limited.get(baseUrl) ?? new Set()
    this.#limited.set(baseUrl, limited.add(integration))
    if (limited.size >= MIN_LIMITED) this.#pausedUntil.set(baseUrl, now + retryAfterMs)
  }
}

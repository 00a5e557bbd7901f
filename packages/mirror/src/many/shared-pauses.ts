/** How many integrations in a row must be limited before the others of the service wait, too. */
const LIMITED_TOGETHER = 3

const DEFAULT_PAUSE_MS = 30_000

/** What this process knows of the rate limits of each service. */
export class SharedPauses {
  readonly #limited = new Map<string, Set<string>>()
  readonly #pausedUntil = new Map<string, number>()

  /** Until when no integration of a service is to send a request; 0 if they may. */
  until(baseUrl: string): number {
    return this.#pausedUntil.get(baseUrl) ?? 0
  }

  /** The service answered an integration. */
  answered(baseUrl: string): void {
    this.#limited.delete(baseUrl)
    this.#pausedUntil.delete(baseUrl)
  }

  /** The service limited the rate of an integration. If it does so to several in a row, the limit is probably a shared one. */
  limited(baseUrl: string, integration: string, now: number, retryAfterMs = DEFAULT_PAUSE_MS): void {
    const limited = this.#limited.get(baseUrl) ?? new Set()
    this.#limited.set(baseUrl, limited.add(integration))
    if (limited.size >= LIMITED_TOGETHER) this.#pausedUntil.set(baseUrl, now + retryAfterMs)
  }
}

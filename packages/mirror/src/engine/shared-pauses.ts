import { NotesClientError } from '@notewire/client'

/** A service is paused when it has refused this many integrations within `WINDOW_MS`, and has answered none since. */
const MIN_REFUSED = 10
const WINDOW_MS = 60_000

const PAUSE_MS = 60_000

/** The time between two probes of a paused service, in milliseconds. */
const PROBE_EVERY_MS = 10_000

const REFUSALS: ReadonlySet<string> = new Set([
  ...['rate_limited', 'unauthorized', 'forbidden'],
  ...['server_error', 'network_error', 'timeout'],
])

/** Whether an error can mean that the whole service refuses requests. A single one can also concern one key. */
export function isRefusal(error: unknown): boolean {
  return error instanceof NotesClientError && REFUSALS.has(error.code)
}

/** What a process knows of a service that has refused integrations. The times are readings of `monotonicNow`. */
interface RefusingService {
  /** The integrations that the service has refused since its latest answer, and when. */
  readonly refusedAt: Map<string, number>
  pausedUntil: number
  /** When the next integration may probe the service. */
  probeAt: number
  /** The first time for which no waiting integration was told to probe. */
  freeAt: number
}

/** The pauses of services that refuse many integrations, as this process has seen it. */
export class SharedPauses {
  readonly #services = new Map<string, RefusingService>()

  /**
   * Returns how long an integration must wait before it sends a request, in milliseconds: 0 if there is no pause, or if the integration probes the
   * service. The first waiting integrations come back to probe, one after another, and the others at the end of the pause.
   */
  admit(baseUrl: string, now: number): number {
    const service = this.#services.get(baseUrl)
    if (service === undefined || service.pausedUntil <= now) return 0
    if (service.probeAt <= now) {
      service.probeAt = now + PROBE_EVERY_MS
      return 0
    }
    const freeAt = Math.max(service.freeAt, service.probeAt)
    if (freeAt >= service.pausedUntil) return service.pausedUntil - now
    service.freeAt = freeAt + PROBE_EVERY_MS
    return freeAt - now
  }

  /** Records that an integration has worked. This ends the pause. */
  recordAnswer(baseUrl: string): void {
    this.#services.delete(baseUrl)
  }

  /**
   * Records an error that {@link isRefusal} accepts. Refusals of few integrations pause nothing, because each key can have its own limit. Returns the
   * length of the pause if one begins, in milliseconds.
   */
  recordRefusal(baseUrl: string, integration: string, now: number): number | undefined {
    const never = Number.NEGATIVE_INFINITY
    const service = this.#services.get(baseUrl) ?? {
      refusedAt: new Map(),
      pausedUntil: never,
      probeAt: never,
      freeAt: never,
    }
    this.#services.set(baseUrl, service)
    service.refusedAt.set(integration, now)
    for (const [refused, at] of service.refusedAt) if (at <= now - WINDOW_MS) service.refusedAt.delete(refused)
    if (service.refusedAt.size < MIN_REFUSED || service.pausedUntil > now) return undefined
    service.pausedUntil = now + PAUSE_MS
    service.probeAt = now + PROBE_EVERY_MS
    service.freeAt = service.probeAt
    return PAUSE_MS
  }

  /** Lists the paused services, and how long each is still paused, in milliseconds. */
  list(now: number): readonly { readonly baseUrl: string; readonly remainingMs: number }[] {
    return [...this.#services]
      .map(([baseUrl, { pausedUntil }]) => ({ baseUrl, remainingMs: pausedUntil - now }))
      .filter(({ remainingMs }) => remainingMs > 0)
  }
}

import { NotesClientError } from '@notewire/client'

/** A service is paused when it has refused this many integrations within `WINDOW_MS`, and has answered none since. */
const MIN_REFUSED = 10
const WINDOW_MS = 60_000

/** The length of a pause, in milliseconds. */
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

/** What a process knows of a service. The times are readings of `monotonicNow`. */
export interface ServiceHealth {
  /** The integrations that the service has refused since its latest answer, and when. */
  readonly refusedAt: Readonly<Record<string, number>>
  readonly pausedUntil: number
  /** When the next integration may probe the service. */
  readonly probeAt: number
  /** The first time for which no waiting integration was told to probe. */
  readonly freeAt: number
}

/** A service that answers. */
export const ANSWERING: ServiceHealth = {
  refusedAt: {},
  pausedUntil: Number.NEGATIVE_INFINITY,
  probeAt: Number.NEGATIVE_INFINITY,
  freeAt: Number.NEGATIVE_INFINITY,
}

/** Records that the service has refused an integration. Refusals of few integrations pause nothing, because each key can have its own limit. */
export function afterRefusal(health: ServiceHealth, integration: string, now: number): ServiceHealth {
  const recent = Object.entries(health.refusedAt).filter(([, at]) => at > now - WINDOW_MS)
  const refusedAt = { ...Object.fromEntries(recent), [integration]: now }
  const isRefusingAll = Object.keys(refusedAt).length >= MIN_REFUSED
  if (!isRefusingAll || health.pausedUntil > now) return { ...health, refusedAt }
  const probeAt = now + PROBE_EVERY_MS
  return { refusedAt, pausedUntil: now + PAUSE_MS, probeAt, freeAt: probeAt }
}

/**
 * Decides whether an integration may send requests: `waitMs` is 0 if there is no pause, or if the integration probes the service. The first waiting
 * integrations come back to probe, one after another, and the others at the end of the pause.
 */
export function admit(health: ServiceHealth, now: number): { readonly health: ServiceHealth; readonly waitMs: number } {
  const { pausedUntil, probeAt } = health
  if (pausedUntil <= now) return { health, waitMs: 0 }
  if (probeAt <= now) return { health: { ...health, probeAt: now + PROBE_EVERY_MS }, waitMs: 0 }
  const freeAt = Math.max(health.freeAt, probeAt)
  if (freeAt >= pausedUntil) return { health, waitMs: pausedUntil - now }
  return { health: { ...health, freeAt: freeAt + PROBE_EVERY_MS }, waitMs: freeAt - now }
}

/** The health of each service, as this process has seen it. */
export class SharedPauses {
  readonly #services = new Map<string, ServiceHealth>()

  /** Returns how long an integration must wait before it sends a request, in milliseconds. */
  admit(baseUrl: string, now: number): number {
    const { health, waitMs } = admit(this.#healthOf(baseUrl), now)
    if (health !== ANSWERING) this.#services.set(baseUrl, health)
    return waitMs
  }

  /** Records that an integration has worked. This ends the pause. */
  recordAnswer(baseUrl: string): void {
    this.#services.delete(baseUrl)
  }

  /** Records an error that {@link isRefusal} accepts. Returns the length of the pause if one begins, in milliseconds. */
  recordRefusal(baseUrl: string, integration: string, now: number): number | undefined {
    const before = this.#healthOf(baseUrl)
    const after = afterRefusal(before, integration, now)
    this.#services.set(baseUrl, after)
    return after.pausedUntil === before.pausedUntil ? undefined : after.pausedUntil - now
  }

  /** Lists the paused services, and how long each is still paused, in milliseconds. */
  list(now: number): readonly { readonly baseUrl: string; readonly remainingMs: number }[] {
    return [...this.#services]
      .map(([baseUrl, { pausedUntil }]) => ({ baseUrl, remainingMs: pausedUntil - now }))
      .filter(({ remainingMs }) => remainingMs > 0)
  }

  #healthOf(baseUrl: string): ServiceHealth {
    return this.#services.get(baseUrl) ?? ANSWERING
  }
}

import { type Clock, refuseUnknownOptions, systemClock } from '@notewire/protocol'

/** What `probeService` takes. */
export interface ServiceProbeOptions {
  /** Where the service is: an absolute `https` URL without `/v1`; `http` on this machine alone. */
  readonly baseUrl: string
  /** Any key of the service. The more scopes it has, the more can be seen. It is sent to `baseUrl` and shown nowhere. */
  readonly apiKey: string
  /**
   * Also creates a webhook endpoint, looks at it, and deletes it. Without it, nothing is changed.
   *
   * @default false
   */
  readonly write?: boolean | undefined
  /**
   * The URL of that endpoint. The service sends it a verification.
   *
   * @default one that leads nowhere
   */
  readonly endpointUrl?: string | undefined
  /** Ends the probe; an endpoint that was created is deleted all the same. */
  readonly signal?: AbortSignal | undefined
  /**
   * The most requests that are sent. What they do not suffice for counts as not seen.
   *
   * @default 60
   */
  readonly mostRequests?: number | undefined
  /**
   * The pause between two requests, in milliseconds.
   *
   * @default 100
   */
  readonly pauseMs?: number | undefined
  /** Is told after every request how many were sent, of how many at most. */
  readonly onRequest?: ((sent: number, most: number) => void) | undefined
  /** @default the global `fetch` */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** What the `Date` of the service is compared with, and pauses run on. @default systemClock */
  readonly clock?: Clock | undefined
}

/** The options, complete. */
export interface ProbeSettings {
  readonly baseUrl: string
  readonly apiKey: string
  readonly write: boolean
  readonly endpointUrl: string
  readonly signal: AbortSignal
  readonly mostRequests: number
  readonly pauseMs: number
  readonly onRequest: (sent: number, most: number) => void
  readonly fetch: (request: Request) => Promise<Response>
  readonly clock: Clock
}

const OPTION_NAMES: readonly (keyof ServiceProbeOptions)[] = [
  'baseUrl',
  'apiKey',
  'write',
  'endpointUrl',
  'signal',
  'mostRequests',
  'pauseMs',
  'onRequest',
  'fetch',
  'clock',
]

/** @throws `OptionError` for an option that nobody knows */
export function resolveProbeOptions(options: ServiceProbeOptions): ProbeSettings {
  refuseUnknownOptions('probeService', options, OPTION_NAMES)
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, '').replace(/\/v1$/, ''),
    apiKey: options.apiKey,
    write: options.write ?? false,
    // A name that never leads anywhere (RFC 2606).
    endpointUrl: options.endpointUrl ?? 'https://notewire-probe.invalid/webhooks',
    signal: options.signal ?? new AbortController().signal,
    mostRequests: options.mostRequests ?? 60,
    pauseMs: options.pauseMs ?? 100,
    onRequest: options.onRequest ?? (() => undefined),
    fetch: options.fetch ?? ((request) => globalThis.fetch(request)),
    clock: options.clock ?? systemClock,
  }
}

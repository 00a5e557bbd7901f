import { type ApiErrorBody, NOTE_EVENT_KINDS, type NoteEventKind, refuseUnknownOptions } from '@notewire/protocol'
import type { EndpointResource } from '../api/endpoint-resource.ts'
import type { Timeline } from '../clock/timeline.ts'
import type { Courier, ReceiverFetch } from '../delivery/courier.ts'
import type { DeliveryEngine } from '../delivery/delivery-engine.ts'
import type { Endpoints } from '../delivery/endpoints.ts'
import { TransportError } from './transport-error.ts'

/** How a receiver is connected. */
export interface ConnectOptions {
  /** The event kinds to subscribe to. @default all four */
  readonly events?: readonly NoteEventKind[] | undefined
  /** The key that registers the endpoint, and whose integration it belongs to. @default the service's own key */
  readonly apiKey?: string | undefined
}

/** An endpoint whose receiver is in this process, with its secret. */
export interface ConnectedEndpoint extends EndpointResource {
  /** `whsec_` and base64url text. */
  readonly signing_secret: string
}

interface ConnectParts {
  readonly baseUrl: () => string
  readonly apiKey: string
  readonly fetch: (request: Request) => Promise<Response>
  readonly timeline: Timeline
  readonly courier: Courier
  readonly engine: DeliveryEngine
  readonly endpoints: Endpoints
}

/** Registers endpoints, one after the other, whose deliveries never leave the process. */
export function connectorOf(parts: ConnectParts) {
  let connected = 0
  return async (
    makeReceiver: (secret: string) => ReceiverFetch,
    options: ConnectOptions = {},
  ): Promise<ConnectedEndpoint> => {
    refuseUnknownOptions('service.connect', options, ['events', 'apiKey'])
    connected += 1
    const url = `https://receiver-${connected}.test/webhooks/notes`
    // Whoever is asked before knowing the secret cannot verify, and says so.
    parts.courier.connect(url, () => new Response(null, { status: 503 }))
    const registered = await register(parts, url, options)
    parts.courier.connect(url, makeReceiver(registered.signing_secret))
    const endpoint = parts.endpoints.find(registered.endpoint_id)
    if (endpoint === undefined) return registered
    await parts.timeline.until(parts.engine.verificationTried(endpoint))
    return { ...registered, status: endpoint.state }
  }
}

async function register(
  { fetch, baseUrl, apiKey }: ConnectParts,
  url: string,
  options: ConnectOptions,
): Promise<ConnectedEndpoint> {
  const request = new Request(`${baseUrl()}/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.apiKey ?? apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: options.events ?? NOTE_EVENT_KINDS }),
  })
  const response = await fetch(request)
  if (response.status === 201) return (await response.json()) as ConnectedEndpoint
  const { error } = (await response.json()) as ApiErrorBody
  throw new TransportError(
    'endpoint_refused',
    `the service did not register the endpoint (${response.status} ${error.code}). ${error.message}`,
  )
}

import { NOTE_EVENT_KINDS, type NoteEventKind, refuseUnknownOptions } from '@notewire/protocol'
import { type EndpointResource, endpointResource } from '../api/endpoint-resource.ts'
import type { Timeline } from '../clock/timeline.ts'
import type { Courier, ReceiverFetch } from '../delivery/courier.ts'
import type { DeliveryEngine } from '../delivery/delivery-engine.ts'
import type { Endpoint } from '../delivery/endpoint.ts'
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
    const endpoint = await register(parts, url, options)
    const signing_secret = endpoint.secrets.text
    parts.courier.connect(url, makeReceiver(signing_secret))
    await parts.timeline.until(parts.engine.verificationTried(endpoint))
    return { ...endpointResource(endpoint), signing_secret }
  }
}

/** The API is asked like any other; its answer is not read, since its shape depends on the contract. */
async function register(
  { fetch, baseUrl, apiKey, endpoints }: ConnectParts,
  url: string,
  options: ConnectOptions,
): Promise<Endpoint> {
  const request = new Request(`${baseUrl()}/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.apiKey ?? apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: options.events ?? NOTE_EVENT_KINDS }),
  })
  const response = await fetch(request)
  const endpoint = endpoints.all().find((registered) => registered.url === url)
  if (endpoint !== undefined) return endpoint
  throw new TransportError(
    'endpoint_refused',
    `the service did not register the endpoint. It answered ${response.status}: ${await response.text()}`,
  )
}

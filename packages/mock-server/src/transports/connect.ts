import { NOTE_EVENT_KINDS, type NoteEventKind } from '@notewire/protocol'
import * as z from 'zod/mini'
import { type EndpointResource, endpointResource } from '../api/endpoint-resource.ts'
import type { ServiceParts } from '../api/service-parts.ts'
import type { ReceiverFetch } from '../delivery/attempt-sender.ts'
import type { Endpoint } from '../delivery/endpoint.ts'
import { checked, fields } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'

/** Options of `service.connect`. */
export interface ConnectOptions {
  /** The event kinds to subscribe to. @default all four */
  readonly events?: readonly NoteEventKind[] | undefined
  /** The key that registers the endpoint. The endpoint belongs to its integration. @default the service's own key */
  readonly apiKey?: string | undefined
}

/** An endpoint whose receiver is in this process, with its secret. */
export interface ConnectedEndpoint extends EndpointResource {
  /** `whsec_` and base64url text. */
  readonly signing_secret: string
}

// Event kinds and keys are not checked here: the API rejects wrong ones.
const connectOptionsSchema = fields({ events: z.optional(z.array(z.string())), apiKey: z.optional(z.string()) })

interface ConnectParts extends ServiceParts {
  readonly fetch: (request: Request) => Promise<Response>
}

/** Creates `service.connect`, which registers an endpoint whose receiver is in this process. */
export function connectorOf(parts: ConnectParts) {
  let connected = 0
  return async (
    makeReceiver: (secret: string) => ReceiverFetch,
    options: ConnectOptions = {},
  ): Promise<ConnectedEndpoint> => {
    parts.timeline.requireOpen()
    checked('service.connect', connectOptionsSchema, options)
    if (typeof makeReceiver !== 'function') throw receiverMissing('needs a function')
    connected += 1
    const url = `https://receiver-${connected}.test/webhooks/notes`
    // Until it has the secret, the receiver cannot verify a delivery.
    parts.sender.connect(url, () => new Response(null, { status: 503 }))
    const endpoint = await register(parts, url, options)
    const signing_secret = endpoint.secrets.text
    try {
      const receiver = makeReceiver(signing_secret)
      if (typeof receiver !== 'function') throw receiverMissing('needs a function that returns a fetch handler')
      parts.sender.connect(url, receiver)
    } catch (error) {
      parts.endpoints.delete(endpoint)
      throw error
    }
    await parts.timeline.until(parts.engine.waitForFirstVerificationAttempt(endpoint))
    return { ...endpointResource(endpoint), signing_secret }
  }
}

/** Registers through the API, like any client. The answer is not read, because its shape depends on the contract variants. */
async function register(
  { fetch, baseUrl, owners, endpoints }: ConnectParts,
  url: string,
  options: ConnectOptions,
): Promise<Endpoint> {
  const request = new Request(`${baseUrl()}/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.apiKey ?? owners.first.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: options.events ?? NOTE_EVENT_KINDS }),
  })
  const response = await fetch(request)
  const endpoint = endpoints.all().find((registered) => registered.url === url)
  if (endpoint !== undefined) return endpoint
  const problem = `the service did not register the endpoint: it answered ${response.status} ${await response.text()}`
  const remedy = 'Pass a key with the scope webhooks:manage, and event kinds that exist.'
  throw new MockServerError('endpoint_refused', problem, remedy)
}

function receiverMissing(problem: string): MockServerError {
  const remedy = 'Pass (secret) => createReceiver({ secret, on }).fetch.'
  return new MockServerError('option_invalid', `service.connect ${problem}`, remedy, 'makeReceiver')
}

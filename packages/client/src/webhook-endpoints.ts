import {
  type NoteEventKind,
  type OpenEnum,
  ShapeError,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '@notewire/protocol'
import {
  readShape,
  webhookEndpointListSchema,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from '@notewire/protocol/schemas'
import type { DriftWatch } from './drift/drift-watch.ts'
import { type ActivationOptions, waitForActivation } from './endpoint-activation.ts'
import type { CallOptions } from './options/call-options.ts'
import type { Answer } from './transport/answer.ts'
import {
  CREATE_ENDPOINT,
  DELETE_ENDPOINT,
  GET_ENDPOINT,
  LIST_ENDPOINTS,
  ROTATE_SECRET,
  SEND_TEST,
  UPDATE_ENDPOINT,
} from './transport/operation.ts'
import { readBody } from './transport/response-body.ts'
import type { Transport } from './transport/transport.ts'

/** What an endpoint is registered with (contract §4). */
export interface WebhookEndpointCreation {
  /** A public HTTPS URL that answers directly: the service follows no redirect. */
  readonly url: string
  /** The kinds of events to be told of. */
  readonly events: readonly OpenEnum<NoteEventKind>[]
}

/** What can be changed about an endpoint (open point 14). */
export interface WebhookEndpointUpdate {
  /** Where to send from now on. The service verifies it again, even when it is the same. */
  readonly url?: string | undefined
  readonly events?: readonly OpenEnum<NoteEventKind>[] | undefined
  /** Enables a disabled endpoint again, after another verification. */
  readonly status?: 'active' | undefined
}

/**
 * Webhook endpoints: `client.webhookEndpoints` (contract §4; open points 13 to 18). All of it needs the scope
 * `webhooks:manage`.
 *
 * The contract shows the creation alone: where a service has no such operation, the call throws `NotesClientError`
 * `not_supported`.
 */
export class WebhookEndpoints {
  readonly #transport: Transport
  readonly #drift: DriftWatch

  constructor(transport: Transport, drift: DriftWatch) {
    this.#transport = transport
    this.#drift = drift
  }

  /**
   * Registers an endpoint. Its status is `pending_verification` until the URL has answered the verification event.
   *
   * A creation is never sent twice, since the second would be another endpoint: a `timeout` or `network_error` leaves
   * open whether it exists, and says how to find out.
   *
   * @returns the endpoint with its signing secret, which is shown this once
   * @example
   * ```ts
   * import { NotesClient } from '@notewire/client'
   *
   * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
   *
   * const endpoint = await client.webhookEndpoints.create({
   *   url: 'https://app.example/webhooks/notes',
   *   events: ['note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'],
   * })
   * await client.webhookEndpoints.waitUntilActive(endpoint.endpoint_id)
   * ```
   */
  async create(creation: WebhookEndpointCreation, options: CallOptions = {}): Promise<WebhookEndpointWithSecret> {
    return this.#readEndpointWithSecret(await this.#transport.call(CREATE_ENDPOINT, { body: creation }, options))
  }

  /** Lists the endpoints of the key's integration. */
  async list(options: CallOptions = {}): Promise<readonly WebhookEndpoint[]> {
    const endpoints = readBody(await this.#transport.call(LIST_ENDPOINTS, {}, options), parseEndpoints)
    return endpoints.map((endpoint) => this.#watch(endpoint))
  }

  /** Reads one endpoint. Its signing secret is not in it. */
  async get(endpointId: string, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#readEndpoint(await this.#transport.call(GET_ENDPOINT, { id: endpointId }, options))
  }

  /** Changes the URL or the events of an endpoint, or enables it again. What is left out stays as it is. */
  async update(endpointId: string, update: WebhookEndpointUpdate, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#readEndpoint(await this.#transport.call(UPDATE_ENDPOINT, { id: endpointId, body: update }, options))
  }

  /** Removes an endpoint: nothing is sent to it any more. */
  async delete(endpointId: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.call(DELETE_ENDPOINT, { id: endpointId }, options)
  }

  /** Makes the service send `endpoint.test` to an endpoint (contract §6). */
  async sendTest(endpointId: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.call(SEND_TEST, { id: endpointId }, options)
  }

  /**
   * Gives an endpoint a new signing secret. The old one goes on signing beside it for 24 hours, so that a receiver
   * that knows both misses nothing.
   *
   * @returns the endpoint with its new signing secret, which is shown this once
   */
  async rotateSecret(endpointId: string, options: CallOptions = {}): Promise<WebhookEndpointWithSecret> {
    return this.#readEndpointWithSecret(await this.#transport.call(ROTATE_SECRET, { id: endpointId }, options))
  }

  /**
   * Waits until an endpoint is active, asking every second.
   *
   * @returns the endpoint, once its status is `active`
   * @throws `EndpointNotActiveError` `endpoint_not_active`, with the status seen last, when the time is over
   */
  waitUntilActive(endpointId: string, options: ActivationOptions = {}): Promise<WebhookEndpoint> {
    return waitForActivation((callOptions) => this.get(endpointId, callOptions), options)
  }

  #readEndpoint(answer: Answer): WebhookEndpoint {
    return this.#watch(readBody(answer, (body) => readShape(webhookEndpointSchema, body, 'the endpoint')))
  }

  #readEndpointWithSecret(answer: Answer): WebhookEndpointWithSecret {
    return this.#watch(readBody(answer, (body) => readShape(webhookEndpointWithSecretSchema, body, 'the endpoint')))
  }

  #watch<Endpoint extends WebhookEndpoint>(endpoint: Endpoint): Endpoint {
    return this.#drift.watch('webhook_endpoint', endpoint)
  }
}

// The contract does not show this answer: we take the names that a service may well have chosen (open point 14).
const LIST_FIELDS = ['webhook_endpoints', 'endpoints']

function parseEndpoints(body: unknown): readonly WebhookEndpoint[] {
  const [field, list] = listIn(body)
  return readShape(webhookEndpointListSchema, list, 'the list of endpoints', field)
}

function listIn(body: unknown): readonly [field: string, list: readonly unknown[]] {
  if (Array.isArray(body)) return ['', body]
  for (const [field, value] of Object.entries(body ?? {})) {
    if (LIST_FIELDS.includes(field) && Array.isArray(value)) return [field, value]
  }
  throw new ShapeError('webhook_endpoints', '"webhook_endpoints" should be an array.')
}

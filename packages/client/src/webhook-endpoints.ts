import {
  type NoteEventKind,
  type OpenEnum,
  refuseUnknownOptions,
  ShapeError,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '@notewire/protocol'
import { readShapeWithDrift, webhookEndpointSchema, webhookEndpointWithSecretSchema } from '@notewire/protocol/schemas'
import type { DriftWatch } from './drift/drift-watch.ts'
import { type ActivationOptions, waitForActivation } from './endpoint-activation.ts'
import type { CallOptions } from './options/call-options.ts'
import type { Answer } from './transport/call.ts'
import {
  CREATE_ENDPOINT,
  DELETE_ENDPOINT,
  GET_ENDPOINT,
  LIST_ENDPOINTS,
  ROTATE_SECRET,
  SEND_TEST,
  UPDATE_ENDPOINT,
} from './transport/operation.ts'
import { readBody, readResource } from './transport/response-body.ts'
import type { Transport } from './transport/transport.ts'

/** A new endpoint (contract §4). */
export interface WebhookEndpointCreation {
  /** A public HTTPS URL that answers directly: the service follows no redirect. */
  readonly url: string
  /** The kinds of events to send. */
  readonly events: readonly OpenEnum<NoteEventKind>[]
}

/** Changes of an endpoint (open point 14). */
export interface WebhookEndpointUpdate {
  /** The new URL. The service verifies it again, even if it is the same. */
  readonly url?: string | undefined
  readonly events?: readonly OpenEnum<NoteEventKind>[] | undefined
  /** Enables a disabled endpoint again, after another verification. */
  readonly status?: 'active' | undefined
}

/**
 * Webhook endpoints: `client.webhookEndpoints` (contract §4; open points 13 to 18). Every operation needs the scope `webhooks:manage`.
 *
 * The contract shows only the creation. If the service does not offer another operation, the call throws `NotesClientError`
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
   * A creation is never retried, because that could create a second endpoint. After a `timeout` or a `network_error` the endpoint may
   * exist: the error says how to find out.
   *
   * @returns the endpoint with its signing secret, which the service shows only once
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
    refuseUnknownOptions('webhookEndpoints.create', creation, ['url', 'events'])
    return this.#readEndpointWithSecret(await this.#transport.call(CREATE_ENDPOINT, { body: creation }, options))
  }

  /** Lists the endpoints of the key's integration. An endpoint without a usable identifier is left out, and `onDrift` reports it. */
  async list(options: CallOptions = {}): Promise<readonly WebhookEndpoint[]> {
    const endpoints = readBody(await this.#transport.call(LIST_ENDPOINTS, {}, options), listIn)
    return endpoints.flatMap((endpoint) => {
      const reading = readShapeWithDrift(webhookEndpointSchema, endpoint, 'the endpoint')
      this.#drift('webhook_endpoint', reading)
      return reading.status === 'read' ? [reading.value] : []
    })
  }

  /** Reads one endpoint. Its signing secret is not in it. */
  async get(endpointId: string, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#readEndpoint(await this.#transport.call(GET_ENDPOINT, { id: endpointId }, options))
  }

  /** Changes the URL or the events of an endpoint, or enables it again. Omitted fields are not changed. */
  async update(endpointId: string, update: WebhookEndpointUpdate, options: CallOptions = {}): Promise<WebhookEndpoint> {
    refuseUnknownOptions('webhookEndpoints.update', update, ['url', 'events', 'status'])
    return this.#readEndpoint(await this.#transport.call(UPDATE_ENDPOINT, { id: endpointId, body: update }, options))
  }

  /** Deletes an endpoint. The service sends nothing to it any more. */
  async delete(endpointId: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.call(DELETE_ENDPOINT, { id: endpointId }, options)
  }

  /** Makes the service send `endpoint.test` to an endpoint (contract §6). */
  async sendTest(endpointId: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.call(SEND_TEST, { id: endpointId }, options)
  }

  /**
   * Gives an endpoint a new signing secret. For 24 hours, the service signs with both secrets, so that a receiver that knows both
   * rejects no delivery.
   *
   * @returns the endpoint with its new signing secret, which the service shows only once
   */
  async rotateSecret(endpointId: string, options: CallOptions = {}): Promise<WebhookEndpointWithSecret> {
    return this.#readEndpointWithSecret(await this.#transport.call(ROTATE_SECRET, { id: endpointId }, options))
  }

  /**
   * Waits until an endpoint is active. Reads it every second.
   *
   * @returns the endpoint, once its status is `active`
   * @throws `EndpointNotActiveError` `endpoint_not_active`, with the last status, when the time is over
   */
  waitUntilActive(endpointId: string, options: ActivationOptions = {}): Promise<WebhookEndpoint> {
    return waitForActivation((callOptions) => this.get(endpointId, callOptions), options)
  }

  #readEndpoint(answer: Answer): WebhookEndpoint {
    return readResource(answer, webhookEndpointSchema, 'the endpoint', (reading) =>
      this.#drift('webhook_endpoint', reading),
    )
  }

  #readEndpointWithSecret(answer: Answer): WebhookEndpointWithSecret {
    return readResource(answer, webhookEndpointWithSecretSchema, 'the endpoint', (reading) =>
      this.#drift('webhook_endpoint', reading),
    )
  }
}

// The contract does not show this response (open point 14). These names are likely.
const LIST_FIELDS = ['webhook_endpoints', 'endpoints']

function listIn(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body
  for (const [field, value] of Object.entries(body ?? {})) {
    if (LIST_FIELDS.includes(field) && Array.isArray(value)) return value
  }
  throw new ShapeError('webhook_endpoints', '"webhook_endpoints" should be an array.')
}

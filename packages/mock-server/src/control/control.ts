import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import * as z from 'zod/mini'
import type { Timeline } from '../clock/timeline.ts'
import type { Courier } from '../delivery/courier.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { DeliveryEngine } from '../delivery/delivery-engine.ts'
import type { Endpoint } from '../delivery/endpoint.ts'
import type { Endpoints } from '../delivery/endpoints.ts'
import { checked, fields, name } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { FaultBook } from '../faults/faults.ts'
import type { Contract } from '../variants/contract-variants.ts'
import { noteChangesSchema, scopesSchema } from '../world/create-owner.ts'
import type { Integration } from '../world/integration.ts'
import type { NoteRecord } from '../world/note-record.ts'
import type { Channel } from '../world/owner.ts'
import type { World } from '../world/world.ts'

/** The parts of a service that its console and its control API show and change. */
export interface ServiceParts {
  readonly baseUrl: () => string
  readonly contract: Contract
  readonly timeline: Timeline
  readonly world: World
  readonly endpoints: Endpoints
  readonly engine: DeliveryEngine
  readonly courier: Courier
  readonly faults: FaultBook
}

const place = name.check(z.describe('`personal`, or the identifier of a channel.'))
const url = z.string().check(z.describe('Where deliveries are sent.'))
const events = z.array(z.enum(NOTE_EVENT_KINDS)).check(z.minLength(1), z.describe('The event kinds to subscribe to.'))

export const newEndpointSchema = fields({
  url,
  events: z._default(events, [...NOTE_EVENT_KINDS]),
  integration_id: z
    .optional(z.string())
    .check(z.describe("The integration that it belongs to. Default: that of the service's own key.")),
})
export const endpointChangesSchema = fields({
  url: z.optional(url),
  events: z.optional(events),
  status: z.optional(z.literal('active')).check(z.describe('Verifies an inactive endpoint again.')),
})
export const newNoteSchema = fields({
  title: z.optional(z.nullable(z.string())).check(z.describe('Default: a plausible title.')),
  content: z.optional(z.nullable(z.string())),
  place: z._default(place, 'personal'),
})
export const moveSchema = fields({ place })
export const newChannelSchema = fields({ name })
export const newIntegrationSchema = fields({
  channels: z
    .optional(z.array(z.string()).check(z.minLength(1)))
    .check(z.describe('The channels that its keys can access. Default: the personal notes.')),
})

/**
 * The actions of the console and of the control API. Each checks its input, and throws `MockServerError` when it is wrong or
 * names something that does not exist.
 */
export class Control {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  endpoint(endpoint_id: string): Endpoint {
    const endpoint = this.#parts.endpoints.find(endpoint_id)
    if (endpoint !== undefined) return endpoint
    throw unknown('endpoint_unknown', `endpoint ${endpoint_id}`)
  }

  async createEndpoint(input: unknown): Promise<Endpoint> {
    const { endpoints, world } = this.#parts
    const { url, events, integration_id } = checked('a new endpoint', newEndpointSchema, input)
    const [own] = world.integrations.all()
    const integration = integration_id === undefined && own !== undefined ? own : this.integration(integration_id ?? '')
    return endpoints.create(integration, await this.#parts.courier.admit(url), [...new Set(events)])
  }

  /** An unchanged URL is not verified again; use {@link Control.verifyEndpoint} for that. */
  async changeEndpoint(endpoint_id: string, input: unknown): Promise<Endpoint> {
    const { url, events, status } = checked('an endpoint', endpointChangesSchema, input)
    const admitted = url === undefined ? undefined : await this.#parts.courier.admit(url)
    const endpoint = this.endpoint(endpoint_id)
    this.#parts.endpoints.update(endpoint, {
      url: admitted === endpoint.url ? undefined : admitted,
      events: events === undefined ? undefined : [...new Set(events)],
      status,
    })
    return endpoint
  }

  /** Sends a new `endpoint.verification`. The endpoint is inactive until it is answered. */
  verifyEndpoint(endpoint_id: string): Endpoint {
    const endpoint = this.endpoint(endpoint_id)
    this.#parts.endpoints.update(endpoint, { url: endpoint.url })
    return endpoint
  }

  rotateSecret(endpoint_id: string): Endpoint {
    const endpoint = this.endpoint(endpoint_id)
    this.#parts.endpoints.rotateSecret(endpoint)
    return endpoint
  }

  deleteEndpoint(endpoint_id: string): void {
    this.#parts.endpoints.delete(this.endpoint(endpoint_id))
  }

  sendTest(endpoint_id: string): Delivery {
    return this.#parts.engine.sendTest(this.endpoint(endpoint_id))
  }

  replay(delivery_id: string): Delivery {
    const { engine, contract } = this.#parts
    const delivery = engine.delivery(delivery_id)
    if (delivery === undefined) throw unknown('delivery_unknown', `delivery ${delivery_id}`)
    const endpoint = this.endpoint(delivery.endpoint_id)
    if (endpoint.state !== 'active' && contract.whileInactive === 'dropped') throw notActive()
    return engine.replay(delivery, endpoint)
  }

  /** Creates a note and starts its first recording session. */
  recordNote(input: unknown): NoteRecord {
    const { world } = this.#parts
    const { place, ...changes } = checked('a new note', newNoteSchema, input)
    const { note_id } = world.recordNote(changes, place)
    world.beginSession(note_id)
    return world.note(note_id)
  }

  editNote(note_id: string, input: unknown): void {
    this.#parts.world.editNote(note_id, checked('a note', noteChangesSchema, input))
  }

  moveNote(note_id: string, input: unknown): void {
    this.#parts.world.moveNote(note_id, checked('a move', moveSchema, input).place)
  }

  createChannel(input: unknown): Channel {
    return this.#parts.world.createChannel(checked('a new channel', newChannelSchema, input).name)
  }

  integration(integration_id: string): Integration {
    const all = this.#parts.world.integrations.all()
    const integration = all.find((known) => known.integration_id === integration_id)
    if (integration !== undefined) return integration
    throw unknown('integration_unknown', `integration ${integration_id}`)
  }

  createIntegration(input: unknown): Integration {
    const { channels } = checked('a new integration', newIntegrationSchema, input)
    return this.#parts.world.createIntegration(channels ?? ['personal'])
  }

  /** Issues a key, by default with all scopes. */
  issueKey(integration_id: string, input: unknown): ReturnType<World['integrations']['issueKey']> {
    const { world } = this.#parts
    const { scopes = world.scopes } = checked('a new key', fields({ scopes: z.optional(scopesSchema(world)) }), input)
    return world.integrations.issueKey(this.integration(integration_id), scopes)
  }

  revokeKey(key_id: string): void {
    if (!this.#parts.world.integrations.revokeKeyOf(key_id)) throw unknown('key_unknown', `key ${key_id}`)
  }
}

type UnknownCode = 'delivery_unknown' | 'endpoint_unknown' | 'fault_unknown' | 'integration_unknown' | 'key_unknown'

/** Something that a request names does not exist in this service. */
export function unknown(code: UnknownCode, what: string): MockServerError {
  const remedy = 'It may have been deleted. Pass an identifier that this service listed.'
  return new MockServerError(code, { problem: `this service has no ${what}`, remedy })
}

function notActive(): MockServerError {
  return new MockServerError('endpoint_not_active', {
    problem: 'the endpoint of the delivery is not active, and the service sends nothing to it',
    remedy: 'Verify the endpoint first.',
  })
}

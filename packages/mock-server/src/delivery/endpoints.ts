import type { EventKind, NoteEvent } from '@notewire/protocol'
import type { Timeline } from '../clock/timeline.ts'
import type { Contract } from '../variants/contract-variants.ts'
import type { Integration } from '../world/integration.ts'
import type { DeliveryEngine } from './delivery-engine.ts'
import { type Endpoint, type EndpointTrigger, stateAfter } from './endpoint.ts'
import { keyOfSecret, randomSigningKey, SigningSecrets } from './signing-secrets.ts'

interface EndpointChanges {
  readonly url?: string | undefined
  readonly events?: readonly EventKind[] | undefined
  readonly status?: 'active' | undefined
}

interface EndpointsParts {
  readonly timeline: Timeline
  readonly contract: Contract
  readonly engine: DeliveryEngine
  /** The signing secret of the endpoint that is created first. Default: a random one. */
  readonly signingSecret?: string | undefined
}

/** The registered endpoints. Each belongs to one integration, and is not visible to others (open point 14). */
export class Endpoints {
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #parts: EndpointsParts
  #firstSecret: string | undefined

  constructor(parts: EndpointsParts) {
    this.#parts = parts
    this.#firstSecret = parts.signingSecret
  }

  create(integration: Integration, url: string, events: readonly EventKind[]): Endpoint {
    const { makeIdentifier } = integration.owner
    const firstSecret = this.#firstSecret
    this.#firstSecret = undefined
    const endpoint: Endpoint = {
      endpoint_id: makeIdentifier('endpoint'),
      integration,
      secrets: new SigningSecrets(randomSigningKey, firstSecret === undefined ? undefined : keyOfSecret(firstSecret)),
      created_at: this.#parts.timeline.now(),
      url,
      events: [...new Set(events)],
      state: 'pending_verification',
      consecutiveFailures: 0,
    }
    this.#endpoints.set(endpoint.endpoint_id, endpoint)
    this.#trigger(endpoint, 'url_set')
    return endpoint
  }

  all(): readonly Endpoint[] {
    return [...this.#endpoints.values()]
  }

  ofOwner({ owner_id }: { readonly owner_id: string }): readonly Endpoint[] {
    return this.all().filter(({ integration }) => integration.owner.owner_id === owner_id)
  }

  of(integration: Integration): readonly Endpoint[] {
    return this.all().filter((endpoint) => endpoint.integration === integration)
  }

  find(endpoint_id: string): Endpoint | undefined {
    return this.#endpoints.get(endpoint_id)
  }

  /** If `url` is given, it is verified again, even if it is unchanged (open points 14 and 18). */
  update(endpoint: Endpoint, { url, events, status }: EndpointChanges): void {
    endpoint.url = url ?? endpoint.url
    endpoint.events = [...new Set(events ?? endpoint.events)]
    if (url !== undefined) this.#trigger(endpoint, 'url_set')
    else if (status === 'active') this.#trigger(endpoint, 'activation_requested')
  }

  /** For 24 hours, deliveries are signed with both secrets (open point 14). */
  rotateSecret(endpoint: Endpoint): void {
    endpoint.secrets.rotate(this.#parts.timeline.now())
  }

  delete(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint.endpoint_id)
    this.#parts.engine.stop(endpoint)
  }

  /** Sends an event about a note to the active endpoints of these integrations that subscribe to its kind (open point 17). */
  announce(event: NoteEvent, integrations: readonly Integration[]): void {
    for (const endpoint of this.#endpoints.values()) {
      const { state, events, integration } = endpoint
      if (!events.includes(event.event_type) || !integrations.includes(integration)) continue
      if (state === 'active' || this.#parts.contract.whileInactive === 'queued')
        this.#parts.engine.send(event, endpoint)
    }
  }

  #trigger(endpoint: Endpoint, trigger: EndpointTrigger): void {
    const state = stateAfter(trigger, endpoint.state)
    // A variant keeps the endpoint active while a changed URL is verified (open point 18).
    const staysActive = trigger === 'url_set' && this.#parts.contract.afterUrlChange === 'active'
    endpoint.state = staysActive && endpoint.state === 'active' ? 'active' : state
    if (state === 'pending_verification') this.#parts.engine.verify(endpoint)
  }
}

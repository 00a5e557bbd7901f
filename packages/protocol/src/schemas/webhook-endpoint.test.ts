import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readShape } from './read-shape.ts'
import { webhookEndpointSchema, webhookEndpointWithSecretSchema } from './resources.ts'

const readWebhookEndpoint = (resource: unknown) => readShape(webhookEndpointSchema, resource, 'the endpoint')
const readWebhookEndpointWithSecret = (resource: unknown) =>
  readShape(webhookEndpointWithSecretSchema, resource, 'the endpoint')

describe('a webhook endpoint (open point 13)', () => {
  it('has an address, its subscriptions and a status', () => {
    const endpoint = {
      endpoint_id: 'endpoint_1',
      url: 'https://example.com/notes',
      events: ['note.ended', 'note.deleted'],
      status: 'active',
      created_at: '2026-05-01T10:00:00Z',
    }
    expect(readWebhookEndpoint(endpoint)).toEqual(endpoint)
  })

  it('may have an id and nothing else', () => {
    expect(readWebhookEndpoint({ id: 'endpoint_1' })).toEqual({ id: 'endpoint_1', endpoint_id: 'endpoint_1' })
  })

  it('may have events and a status that the contract does not list (open points 11, 15)', () => {
    const endpoint = { endpoint_id: 'endpoint_1', events: ['note.merged', 'endpoint.test'], status: 'suspended' }
    expect(readWebhookEndpoint(endpoint)).toEqual(endpoint)
  })

  it('needs an identifier', () => {
    expect(() => readWebhookEndpoint({ url: 'https://example.com/notes' })).toThrow(
      expect.objectContaining({ path: 'endpoint_id' }),
    )
  })
})

describe('the answer that creates an endpoint', () => {
  it('shows the signing secret', () => {
    const created = { id: 'endpoint_1', signing_secret: 'whsec_c2VjcmV0', status: 'pending_verification' }
    expect(readWebhookEndpointWithSecret(created)).toEqual({ endpoint_id: 'endpoint_1', ...created })
  })

  it.each([{}, { signing_secret: null }, { signing_secret: '' }])('cannot be used without one: %j', (fields) => {
    expect(() => readWebhookEndpointWithSecret({ endpoint_id: 'endpoint_1', ...fields })).toThrow(
      expect.objectContaining({ path: 'signing_secret' }),
    )
  })

  it('does not show the secret in the error when it is refused', () => {
    try {
      readWebhookEndpointWithSecret({ endpoint_id: 42, signing_secret: 'whsec_c2VjcmV0' })
      expect.unreachable()
    } catch (error) {
      expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toContain('whsec_c2VjcmV0')
    }
  })
})

import { describe, expect, it } from 'vitest'
import {
  API_VERSION_PREFIX,
  ENDPOINT_EVENT_KINDS,
  MAX_DELIVERY_ATTEMPTS,
  NOTE_EVENT_KINDS,
  RECEIVER_DEADLINE_MS,
  RETRY_DELAYS_MS,
  RETRY_SPAN_MS,
  SCOPES,
  SIGNATURE_HEADERS,
  SIGNATURE_TOLERANCE_SECONDS,
  SIGNATURE_VERSION,
  SIGNING_SECRET_PREFIX,
} from './contract.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

describe('the contract says that', () => {
  it('the version is carried in the path prefix /v1 (§9)', () => expect(API_VERSION_PREFIX).toBe('/v1'))

  it('a key has these scopes (§5)', () => {
    expect(SCOPES).toEqual(['notes:read', 'transcripts:read', 'summaries:read', 'webhooks:manage'])
  })

  it('an endpoint subscribes to four kinds of event (§6)', () => {
    expect(NOTE_EVENT_KINDS).toEqual(['note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'])
  })

  it('two kinds concern the endpoint itself (§6)', () => {
    expect(ENDPOINT_EVENT_KINDS).toEqual(['endpoint.verification', 'endpoint.test'])
  })

  it('a delivery carries three headers (§5)', () => {
    expect(Object.values(SIGNATURE_HEADERS)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature'])
  })

  it('a secret starts with whsec_ and an entry of the signature with v1 (§5)', () => {
    expect([SIGNING_SECRET_PREFIX, SIGNATURE_VERSION]).toEqual(['whsec_', 'v1'])
  })

  it('a timestamp may be up to five minutes in the past or the future (§5)', () => {
    expect(SIGNATURE_TOLERANCE_SECONDS * SECOND).toBe(5 * MINUTE)
  })

  it('a receiver answers within 10 seconds (§8)', () => expect(RECEIVER_DEADLINE_MS).toBe(10 * SECOND))

  it('a delivery has up to seven attempts, with these delays (§8)', () => {
    expect(RETRY_DELAYS_MS).toEqual([30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR, 12 * HOUR])
    expect(MAX_DELIVERY_ATTEMPTS).toBe(RETRY_DELAYS_MS.length + 1)
  })
})

it('a delivery whose every attempt times out ends 26 h 36 min 40 s after it began', () => {
  expect(RETRY_SPAN_MS).toBe(26 * HOUR + 36 * MINUTE + 40 * SECOND)
})

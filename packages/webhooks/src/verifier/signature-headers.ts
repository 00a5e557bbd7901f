import { SIGNATURE_HEADERS } from '@notewire/protocol'
import { type Refusal, refuse } from './verification.ts'

/** The headers of an attempt: `Headers`, what Node.js calls `request.headers`, or a plain object in any case. */
export type AttemptHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** The three headers, read but not yet believed. */
export interface SignatureHeaders {
  readonly status: 'read'
  readonly webhookId: string
  /** As sent, because that is what was signed. */
  readonly timestamp: string
  readonly signature: string
}

/** Reads the three headers of a signed attempt; one that is missing refuses it (contract §5, receiver rule 3). */
export function readSignatureHeaders(headers: AttemptHeaders): SignatureHeaders | Refusal {
  const webhookId = readHeader(headers, SIGNATURE_HEADERS.id)
  if (typeof webhookId !== 'string') return webhookId
  const timestamp = readHeader(headers, SIGNATURE_HEADERS.timestamp)
  if (typeof timestamp !== 'string') return timestamp
  const signature = readHeader(headers, SIGNATURE_HEADERS.signature)
  if (typeof signature !== 'string') return signature
  return { status: 'read', webhookId, timestamp, signature }
}

/** All headers as `Headers`, whatever form they came in. */
export function readHeaders(headers: AttemptHeaders): Headers {
  if (isHeaders(headers)) return headers
  const pairs = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each]))
  return new Headers(pairs as [string, string][])
}

/** The first value of a header, or `undefined` where it is missing or empty. */
export function readFirst(headers: AttemptHeaders, name: string): string | undefined {
  return headerValues(headers, name).find((value) => value !== '')
}

function readHeader(headers: AttemptHeaders, name: string): string | Refusal {
  const [value, ...others] = headerValues(headers, name)
  if (value === undefined || value === '') return refuse('missing-header', `the header ${name} is missing`)
  if (others.length > 0) return refuse('malformed-header', `the header ${name} is there more than once`)
  return value
}

function headerValues(headers: AttemptHeaders, name: string): readonly string[] {
  if (isHeaders(headers)) return [headers.get(name) ?? '']
  const found: string[] = []
  for (const key of Object.keys(headers)) {
    // Most names differ in length already, and this runs for every header of every delivery.
    if (key.length !== name.length || key.toLowerCase() !== name) continue
    const value = headers[key] ?? []
    if (typeof value === 'string') found.push(value)
    else found.push(...value)
  }
  return found
}

function isHeaders(headers: AttemptHeaders): headers is Headers {
  return typeof headers['get'] === 'function'
}

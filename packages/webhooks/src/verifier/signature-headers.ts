import { OptionError } from '@notewire/protocol'
import { type Refusal, refuse } from './verification.ts'

/** The headers of an attempt: `Headers`, Node.js's `request.headers`, or a plain object with names in any case. */
export type AttemptHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** @throws OptionError when `headers` is not an object, but the value of one header, for example */
export function refuseNoHeaders(headers: AttemptHeaders): void {
  const what = whatInstead(headers)
  if (what === undefined) return
  throw new OptionError('headers', `headers is ${what}. Pass all headers of the request: request.headers.`)
}

function whatInstead(headers: unknown): string | undefined {
  if (!headers || typeof headers !== 'object') return 'not an object'
  if (Array.isArray(headers)) return 'a list'
  if ('then' in headers) return 'a promise: await it'
  return 'headers' in headers && typeof headers.headers === 'object' ? 'a request' : undefined
}

/** All headers as `Headers`, without those that `Headers` does not accept. */
export function readHeaders(headers: AttemptHeaders): Headers {
  if (isHeaders(headers)) return headers
  const read = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const each of [value ?? []].flat()) {
      try {
        read.append(name, each)
      } catch {
        // Gateways pass on values that HTTP does not allow, such as text beyond Latin-1.
      }
    }
  }
  return read
}

/** The first value of a header as text, or `undefined` if the header is missing or empty. */
export function readFirst(headers: AttemptHeaders, name: string): string | undefined {
  const found = findHeader(headers, name)
  const first: unknown = Array.isArray(found) ? found.find((value) => value !== '') : found
  return first === undefined || first === '' ? undefined : String(first)
}

/** The only value of a header of a signed attempt, which refuses an attempt without it (contract §5, receiver rule 3). */
export function readHeader(headers: AttemptHeaders, name: string): string | Refusal {
  const found = findHeader(headers, name)
  const value: unknown = Array.isArray(found) ? found[0] : found
  if (value === undefined || value === '') return refuse('missing-header', `the header ${name} is missing`)
  if (Array.isArray(found) && found.length > 1) {
    return refuse('malformed-header', `the header ${name} occurs more than once`)
  }
  if (typeof value !== 'string')
    return refuse('malformed-header', `the header ${name} is not a string but ${typeof value}`)
  return value
}

// Returns an array for several values. They may have any type: gateways and tests make the object from JSON.
function findHeader(headers: AttemptHeaders, name: string): unknown {
  if (isHeaders(headers)) return headers.get(name) ?? undefined
  let found: unknown
  // Not `Object.keys`, which makes an array: this runs five times for every delivery. Most names differ in length.
  for (const key in headers) {
    if (key.length !== name.length || key.toLowerCase() !== name) continue
    found = found === undefined ? (headers[key] ?? undefined) : [found, headers[key] ?? []].flat()
  }
  return found
}

function isHeaders(headers: AttemptHeaders): headers is Headers {
  return typeof headers['get'] === 'function'
}

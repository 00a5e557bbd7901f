import { type CapturedRequest, groupHeaders, timeOf, unreadable } from './captured-request.ts'

/** Reads the requests of an HTTP archive (HAR 1.2), with bodies as text or in base64. */
export function readHar(bytes: Uint8Array): readonly CapturedRequest[] {
  const { log } = fieldsOf(parse(new TextDecoder().decode(bytes)))
  const { entries } = fieldsOf(log)
  if (!Array.isArray(entries)) {
    throw unreadable(
      'is JSON, but not an HTTP archive: it has no "log.entries". The command needs the headers as well as the body: pass the raw HTTP request or a HAR.',
    )
  }
  if (entries.length === 0) throw unreadable('is an HTTP archive without any request. Record it again.')
  return entries.map((entry: unknown, index) => requestOf(fieldsOf(entry), index + 1))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable('begins like an HTTP archive, but is not JSON. Export it again: it may be cut off.')
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function requestOf({ request, startedDateTime }: Readonly<Record<string, unknown>>, entry: number): CapturedRequest {
  const { method, headers, postData } = fieldsOf(request)
  return {
    format: 'har',
    entry,
    method: typeof method === 'string' ? method : undefined,
    headers: groupHeaders(Array.isArray(headers) ? headers.flatMap(headerOf) : []),
    body: bodyOf(fieldsOf(postData)),
    capturedAt: timeOf(startedDateTime),
  }
}

function headerOf(header: unknown): readonly { readonly name: string; readonly value: string }[] {
  const { name, value } = fieldsOf(header)
  // HTTP/2 sends the method and the path in headers whose names begin with a colon.
  return typeof name === 'string' && typeof value === 'string' && !name.startsWith(':') ? [{ name, value }] : []
}

/** HAR 1.2 defines `encoding` only for responses, but tools that record bytes also use it for requests. */
function bodyOf({ text, encoding }: Readonly<Record<string, unknown>>): Uint8Array {
  return new Uint8Array(Buffer.from(typeof text === 'string' ? text : '', encoding === 'base64' ? 'base64' : 'utf8'))
}

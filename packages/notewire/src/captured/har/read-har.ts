import { CaptureError } from '../capture-error.ts'
import type { CapturedHeader, CapturedRequest } from '../captured-request.ts'
import { bytesOfText } from '../escaped-text.ts'

/** A JSON object of a file that claims to be an archive: nothing of it can be relied on. */
type Fields = Readonly<Record<string, unknown>>

/**
 * Reads the requests of an HTTP archive (HAR 1.2), bodies in base64 included.
 *
 * @throws {@link CaptureError} for what is no archive, or holds no request
 */
export function readHar(text: string): readonly CapturedRequest[] {
  const { log } = objectOf(parse(text))
  const { entries } = objectOf(log)
  if (!Array.isArray(entries)) {
    throw new CaptureError(
      'is JSON, but no HTTP archive: it has no "log.entries". The headers are needed beside the body: give a HAR, a curl command or the raw request.',
    )
  }
  const requests = entries.map((entry: unknown, index) => requestOf(objectOf(entry), index + 1))
  if (requests.length === 0) throw new CaptureError('is an HTTP archive without any request. Record it again.')
  return requests
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    throw new CaptureError('begins like an HTTP archive and is not JSON. Export it again: it may be cut off.')
  }
}

function objectOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function requestOf({ request, startedDateTime }: Fields, entry: number): CapturedRequest {
  const { method, headers, postData } = objectOf(request)
  const capturedAt = typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN
  return {
    format: 'har',
    entry,
    method: typeof method === 'string' ? method : undefined,
    headers: Array.isArray(headers) ? headers.flatMap(headerOf) : [],
    body: bodyOf(objectOf(postData)),
    capturedAt: Number.isNaN(capturedAt) ? undefined : capturedAt,
    notices: [],
  }
}

function headerOf(header: unknown): readonly CapturedHeader[] {
  const { name, value } = objectOf(header)
  // HTTP/2 says method and path in headers whose names begin with a colon.
  if (typeof name !== 'string' || typeof value !== 'string' || name.startsWith(':')) return []
  return [{ name, value }]
}

/** The field `encoding` is the archive's own for answers; tools that record bytes use it for requests, too. */
function bodyOf({ text, encoding, params }: Fields): Uint8Array {
  if (typeof text === 'string') {
    return encoding === 'base64' ? Uint8Array.from(Buffer.from(text, 'base64')) : bytesOfText(text)
  }
  if (!Array.isArray(params)) return new Uint8Array()
  const form = new URLSearchParams()
  for (const param of params) {
    const { name, value } = objectOf(param)
    if (typeof name === 'string') form.append(name, typeof value === 'string' ? value : '')
  }
  return bytesOfText(form.toString())
}

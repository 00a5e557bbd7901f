import { type CapturedRequest, groupHeaders, unreadable } from './captured-request.ts'
import { dechunked } from './dechunked.ts'

/** The header that says when `notewire listen --save` received a delivery. */
const RECEIVED_AT = 'notewire-received-at'

const LF = 0x0a
const CR = 0x0d

/**
 * Reads an HTTP/1.1 request: request line, headers, an empty line, and a body whose bytes are kept exactly. Lines end with CR LF
 * or LF. The request line may be missing. A chunked body is joined.
 *
 * @throws CommandError when it has no headers
 */
export function readRawRequest(bytes: Uint8Array): CapturedRequest {
  const start = bytes.findIndex((byte) => byte !== LF && byte !== CR)
  const { headEnd, bodyStart } = endOfHead(bytes, start)
  const head = Buffer.from(bytes.subarray(start, headEnd)).toString('latin1')
  const lines = head.replace(/^\u00ef\u00bb\u00bf/, '').split(/\r?\n/)
  const { method } = /^(?<method>[A-Za-z]+) \S+(?: HTTP\/[\d.]+)?\r?$/.exec(lines[0] ?? '')?.groups ?? {}
  const headers = groupHeaders(headersOf(method === undefined ? lines : lines.slice(1)))
  const body = new Uint8Array(bytes.subarray(bodyStart))
  const isChunked = headers['transfer-encoding']?.some((value) => /\bchunked\b/i.test(value)) ?? false
  const capturedAt = Date.parse(headers[RECEIVED_AT]?.[0] ?? '')
  return {
    format: 'raw',
    entry: 1,
    method,
    headers,
    body: (isChunked ? dechunked(body) : undefined) ?? body,
    capturedAt: Number.isNaN(capturedAt) ? undefined : capturedAt,
  }
}

/** Finds the empty line between headers and body. */
function endOfHead(bytes: Uint8Array, start: number): { readonly headEnd: number; readonly bodyStart: number } {
  for (let lineEnd = bytes.indexOf(LF, start); lineEnd >= 0; lineEnd = bytes.indexOf(LF, lineEnd + 1)) {
    const next = bytes[lineEnd + 1] === CR ? lineEnd + 2 : lineEnd + 1
    if (bytes[next] === LF) return { headEnd: lineEnd, bodyStart: next + 1 }
  }
  return { headEnd: bytes.length, bodyStart: bytes.length }
}

function headersOf(lines: readonly string[]): readonly { readonly name: string; readonly value: string }[] {
  const headers: { readonly name: string; readonly value: string }[] = []
  for (const line of lines) {
    const { name, value } = /^(?<name>[!#$%&'*+.^_`|~\w-]+)[ \t]*:(?<value>.*)$/s.exec(line)?.groups ?? {}
    const before = headers.at(-1)
    if (name !== undefined && value !== undefined) headers.push({ name, value: value.trim() })
    else if (/^[ \t]/.test(line) && before !== undefined) {
      headers[headers.length - 1] = { name: before.name, value: `${before.value} ${line.trim()}` }
    } else if (line.trim() !== '') throw notARequest()
  }
  if (headers.length === 0) throw notARequest()
  return headers
}

function notARequest(): Error {
  return unreadable(
    'is neither a raw HTTP request (request line, headers, an empty line, body) nor an HTTP archive (HAR). Capture it again, or save it with notewire listen --save.',
  )
}

/** A delivery that was received, with its headers as Node.js gives them. */
interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
}

/** Writes a request so that {@link readRawRequest} reads the same headers, body and time. */
export function writeRawRequest({ method, path, headers, body }: ReceivedRequest, receivedAt: number): Uint8Array {
  const lines = Object.entries(headers)
    // The body was joined when it was received.
    .filter(([name]) => name !== 'transfer-encoding' && name !== RECEIVED_AT)
    .flatMap(([name, values]) => [values ?? []].flat().map((value) => `${name}: ${value}`))
  const time = `${RECEIVED_AT}: ${new Date(receivedAt).toISOString()}`
  const head = [`${method} ${path} HTTP/1.1`, time, ...lines, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}

import { CaptureError } from '../capture-error.ts'
import type { CapturedHeader, CapturedRequest } from '../captured-request.ts'
import { valuesOf } from '../captured-request.ts'
import { textOfBytes } from '../escaped-text.ts'
import { dechunked } from './dechunked.ts'

/**
 * Reads a request as it is on the wire: request line, headers, an empty line, and a body whose bytes are kept exactly. The
 * request line may be missing.
 *
 * @throws {@link CaptureError} for what has no headers
 */
export function readRawRequest(bytes: Uint8Array): CapturedRequest {
  const start = afterBlankLines(bytes)
  const { end, bodyAt } = endOfHead(bytes, start)
  const lines = textOfBytes(bytes.subarray(start, end))
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
  const { method } = /^(?<method>[A-Za-z]+) \S+(?: HTTP\/[\d.]+)?$/.exec(lines[0] ?? '')?.groups ?? {}
  const headers = headersOf(method === undefined ? lines : lines.slice(1))
  const sent = Uint8Array.from(bytes.subarray(bodyAt))
  const whole = isChunked(headers) ? dechunked(sent) : undefined
  return {
    format: 'raw',
    entry: 1,
    method,
    headers,
    body: whole ?? sent,
    notices: [
      ...(bodyAt === bytes.length && end === bytes.length
        ? ['no empty line ends the headers, so that there is no body']
        : []),
      ...(whole === undefined ? [] : ['the body was captured in chunks, which were joined']),
    ],
  }
}

const LF = 0x0a
const CR = 0x0d

function afterBlankLines(bytes: Uint8Array): number {
  const first = bytes.findIndex((byte) => byte !== LF && byte !== CR)
  return first < 0 ? bytes.length : first
}

/** The empty line between headers and body, with CRLF or LF. */
function endOfHead(bytes: Uint8Array, start: number): { readonly end: number; readonly bodyAt: number } {
  for (let lineEnd = bytes.indexOf(LF, start); lineEnd >= 0; lineEnd = bytes.indexOf(LF, lineEnd + 1)) {
    const next = bytes[lineEnd + 1] === CR ? lineEnd + 2 : lineEnd + 1
    if (bytes[next] === LF) return { end: lineEnd, bodyAt: next + 1 }
  }
  return { end: bytes.length, bodyAt: bytes.length }
}

function headersOf(lines: readonly string[]): readonly CapturedHeader[] {
  const headers: CapturedHeader[] = []
  for (const line of lines.map((each) => each.replace(/\r$/, ''))) {
    const { name, value } = /^(?<name>[!#$%&'*+.^_`|~\w-]+)[ \t]*:(?<value>[\s\S]*)$/.exec(line)?.groups ?? {}
    const before = headers.at(-1)
    if (name !== undefined && value !== undefined) headers.push({ name, value: value.trim() })
    else if (/^[ \t]/.test(line) && before !== undefined) {
      headers[headers.length - 1] = { name: before.name, value: `${before.value} ${line.trim()}` }
    } else if (line.trim() !== '') throw noRequest()
  }
  if (headers.length === 0) throw noRequest()
  return headers
}

function noRequest(): CaptureError {
  return new CaptureError(
    'is neither a curl command, nor an HTTP archive, nor a raw request (request line, headers, an empty line, body). Copy it again, whole.',
  )
}

function isChunked(headers: readonly CapturedHeader[]): boolean {
  return valuesOf(headers, 'transfer-encoding').some((value) => /\bchunked\b/i.test(value))
}

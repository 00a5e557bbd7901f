import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Received } from '../listening/receive.ts'
import { type CapturedRequest, groupHeaders, timeOf, unreadable } from './captured-request.ts'

/** The header in which `notewire listen --save` records when it received a delivery. */
const RECEIVED_AT = 'notewire-received-at'

/**
 * Reads an HTTP/1.1 request: request line, headers, an empty line, and the body, whose bytes do not change. Lines end with CR LF or
 * LF. The request line may be missing. The chunks of a chunked body are joined.
 */
export function readRawRequest(bytes: Uint8Array): CapturedRequest {
  // In Latin-1, each character is one byte.
  const text = Buffer.from(bytes)
    .toString('latin1')
    .replace(/^[\r\n]+/, '')
  const [head = '', lineBreaks = ''] = /^.*?(\r?\n\r?\n)/s.exec(text) ?? [text]
  const lines = head
    .trimEnd()
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .split(/\r?\n/)
  const { method } = /^(?<method>[A-Za-z]+) \S+(?: HTTP\/[\d.]+)?$/.exec(lines[0] ?? '')?.groups ?? {}
  const headers = groupHeaders(headersOf(method === undefined ? lines : lines.slice(1)))
  const body = lineBreaks === '' ? '' : text.slice(head.length)
  const isChunked = headers['transfer-encoding']?.some((value) => /\bchunked\b/i.test(value)) ?? false
  return {
    format: 'raw',
    entry: 1,
    method,
    headers,
    body: new Uint8Array(Buffer.from((isChunked ? dechunked(body) : undefined) ?? body, 'latin1')),
    capturedAt: timeOf(headers[RECEIVED_AT]?.[0]),
  }
}

function headersOf(lines: readonly string[]): readonly { readonly name: string; readonly value: string }[] {
  // A line that begins with white space continues the header before it.
  const headers = lines
    .join('\n')
    .replaceAll(/\n[ \t]+/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  if (headers.length === 0) throw notARequest()
  return headers.map((line) => {
    const { name, value } = /^(?<name>[!#$%&'*+.^_`|~\w-]+)[ \t]*:(?<value>.*)$/s.exec(line)?.groups ?? {}
    if (name === undefined || value === undefined) throw notARequest()
    return { name, value: value.trim() }
  })
}

function notARequest(): Error {
  return unreadable(
    'is neither a raw HTTP request (request line, headers, an empty line, body) nor an HTTP archive (HAR). Capture it again, or save it with notewire listen --save.',
  )
}

/** Joins the chunks of a body (RFC 9112 §7.1). @returns `undefined` for a body without chunks */
function dechunked(text: string): string | undefined {
  const sizeLine = /([\da-f]{1,8})[ \t]*(?:;[^\r\n]{0,64})?\r?\n/iy
  const chunks: string[] = []
  for (;;) {
    const [, size] = sizeLine.exec(text) ?? []
    if (size === undefined) return undefined
    const end = sizeLine.lastIndex + Number.parseInt(size, 16)
    if (end === sizeLine.lastIndex) return chunks.join('')
    chunks.push(text.slice(sizeLine.lastIndex, end))
    if (!/^\r?\n/.test(text.slice(end, end + 2))) return undefined
    sizeLine.lastIndex = text[end] === '\r' ? end + 2 : end + 1
  }
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
    // The chunks were joined when the delivery was received.
    .filter(([name]) => name !== 'transfer-encoding' && name !== RECEIVED_AT)
    .flatMap(([name, values]) => [values ?? []].flat().map((value) => `${name}: ${value}`))
  const time = `${RECEIVED_AT}: ${new Date(receivedAt).toISOString()}`
  const head = [`${method} ${path} HTTP/1.1`, time, ...lines, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}

/**
 * Saves a delivery as a raw HTTP request, for `notewire verify`. Only the owner can read the file: it contains the whole delivery.
 *
 * @returns the name of the file
 */
export async function saveDelivery(folder: string, { at, arrival }: Received): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const time = new Date(at).toISOString().replaceAll(':', '-')
  const name = `${time}-${randomUUID().slice(0, 8)}.http`
  await writeFile(join(folder, name), writeRawRequest(arrival, at), { flag: 'wx', mode: 0o600 })
  return name
}

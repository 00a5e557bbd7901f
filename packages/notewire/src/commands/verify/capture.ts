import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { textOfFile } from '@notewire/protocol'
import { CommandError } from '../../errors/failure.ts'
import { makePrivateFolder } from '../../files/private-file.ts'
import { printableJson } from '../../terminal/width.ts'

/** A delivery as it was captured, with the bytes of its body unchanged. */
export interface CapturedDelivery {
  readonly method: string | undefined
  /** The values of each header, by its name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly body: Uint8Array
  /** In milliseconds since the Unix epoch, if the capture contains it. */
  readonly receivedAt: number | undefined
}

export const LARGEST_CAPTURE_BYTES = 64 * 1024 * 1024

const BASE64 = /^[A-Za-z0-9+/_\s-]*(?:=\s*){0,2}$/

const FORM =
  'It is a JSON object with "headers" and with "body" (text) or "body_base64", as notewire listen --save writes it'

/**
 * Reads a capture: a JSON object in the form of the test vectors of `@notewire/webhooks`. A body that AWS Lambda logs with
 * `isBase64Encoded` is decoded.
 */
export function readCapture(bytes: Uint8Array): CapturedDelivery {
  if (bytes.length > LARGEST_CAPTURE_BYTES) throw unreadable('is larger than 64 MiB. Pass a file with one delivery.')
  const { headers, body, body_base64, isBase64Encoded, method, received_at } = fieldsOf(parsed(bytes))
  const encoded = isBase64Encoded === true ? body : body_base64
  const text = typeof encoded === 'string' ? encoded : body
  if (typeof text === 'object' && text !== null) {
    throw unreadable('has a parsed body. "body" must be the exact text that arrived, as a string.')
  }
  if (typeof encoded === 'string' && !BASE64.test(encoded)) {
    throw unreadable('has a body that is not base64. Encode the bytes that arrived, and nothing else.')
  }
  if (typeof headers !== 'object' || headers === null || typeof text !== 'string') {
    throw unreadable(`does not contain headers and a body. ${FORM}.`)
  }
  const receivedAt = Date.parse(String(received_at))
  return {
    method: typeof method === 'string' ? method : undefined,
    headers: headersOf(headers),
    body: new Uint8Array(Buffer.from(text, typeof encoded === 'string' ? 'base64' : 'utf8')),
    receivedAt: Number.isNaN(receivedAt) ? undefined : receivedAt,
  }
}

function parsed(bytes: Uint8Array): unknown {
  const { text } = textOfFile(bytes)
  if (text.trim() === '') throw unreadable(`is empty. ${FORM}.`)
  try {
    return JSON.parse(text)
  } catch {
    if (text.includes('\0')) throw unreadable('is not text in UTF-8. Save it as UTF-8.')
    // The parser's message quotes the capture.
    throw unreadable(`is not JSON. ${FORM}.`)
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function headersOf(headers: object): CapturedDelivery['headers'] {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each: unknown) => ({ name: name.toLowerCase(), value: String(each) })),
  )
  const groups = Map.groupBy(values, ({ name }) => name)
  return Object.fromEntries([...groups].map(([name, found]) => [name, found.map(({ value }) => value)]))
}

/** @param problem  a sentence without its subject, such as "is empty. Pass …"; it must not quote the capture */
export function unreadable(problem: string): CommandError {
  return new CommandError('capture_unreadable', `the captured delivery ${problem}`)
}

/** A delivery that was received, with its headers as Node.js gives them. */
interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
}

/**
 * Writes a delivery to a file, so that {@link readCapture} reads the same headers, body and time. Only the owner can read the file: it
 * contains the whole delivery.
 *
 * @returns the name of the file
 */
export async function saveCapture(
  folder: string,
  { method, path, headers, body }: ReceivedRequest,
  at: number,
): Promise<string> {
  await makePrivateFolder(folder)
  const received_at = new Date(at).toISOString()
  const name = `${received_at.replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.json`
  const bytes = Buffer.from(body)
  const text = bytes.toString()
  // Text that is valid UTF-8 can be read by a person, and is decoded to the same bytes.
  const content = Buffer.from(text).equals(bytes) ? { body: text } : { body_base64: bytes.toString('base64') }
  const capture = { schema_version: 1, received_at, method, path, headers, ...content }
  await writeFile(join(folder, name), `${printableJson(capture, 2)}\n`, { flag: 'wx', mode: 0o600 })
  return name
}

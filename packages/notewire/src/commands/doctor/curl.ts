import { shellQuoted } from '../../terminal/shell-quoted.ts'
import { isPrintable } from '../../terminal/width.ts'
import type { Delivery } from './delivery.ts'

/** Headers that curl adds by itself. They are suppressed if the delivery has none. */
const ADDED_BY_CURL = ['content-type', 'user-agent']

/** A command for any POSIX shell that sends a delivery again. It contains the signature, valid for five minutes, but not the secret. */
export function curlOf({ method, url, headers, body }: Delivery): string {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const isInArgument = isText(body)
  const parts = [
    `curl -i --max-time 10${method === 'POST' ? '' : ` -X ${method}`} ${shellQuoted(url.href)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(headerLine(name, value))}`),
    ...ADDED_BY_CURL.filter((name) => !names.includes(name)).map((name) => `-H ${shellQuoted(`${name}:`)}`),
    ...(method === 'GET' ? [] : [`--data-binary ${isInArgument ? shellQuoted(body.toString()) : '@-'}`]),
  ]
  return (method === 'GET' || isInArgument ? '' : `${printedBy(body)} |\n`) + parts.join(' \\\n  ')
}

// curl sends an empty header for a name with a semicolon. Node.js reads header values as Latin-1, and terminals write UTF-8.
function headerLine(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${Buffer.from(value, 'latin1').toString()}`
}

const SPACE = 0x20

/** Large bodies are padded with spaces, so that the command stays short. */
function paddingOf(body: Buffer): number {
  let end = body.length
  while (end > 0 && body[end - 1] === SPACE) end -= 1
  const spaces = body.length - end
  return spaces < 1_000 ? 0 : spaces
}

/** Whether the body fits into an argument of a shell and can be printed: UTF-8, without control characters, and not padded. */
function isText(body: Buffer): boolean {
  const text = body.toString()
  return paddingOf(body) === 0 && isPrintable(text) && body.equals(Buffer.from(text))
}

function printedBy(body: Buffer): string {
  const spaces = paddingOf(body)
  const text = [...body.subarray(0, body.length - spaces)].map(escaped).join('')
  const printed = `printf '%b' ${shellQuoted(text)}`
  return spaces === 0 ? printed : `{ ${printed}; printf '%${spaces}s' ''; }`
}

function escaped(byte: number): string {
  const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x5c
  return isPlain ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, '0')}`
}

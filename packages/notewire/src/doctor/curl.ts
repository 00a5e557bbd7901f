import type { Body, Delivery } from './delivery.ts'

/** Headers that curl adds by itself. They are suppressed if the delivery has none. */
const ADDED_BY_CURL = ['content-type', 'user-agent']

/** A command for any POSIX shell that sends a delivery again. It contains the signature, valid for five minutes, but not the secret. */
export function curlOf({ method, url, headers, body }: Delivery): string {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const isInArgument = isText(body)
  const parts = [
    `curl -i --max-time 10${method === 'POST' ? '' : ` -X ${method}`} ${quoted(url.href)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(headerLine(name, value))}`),
    ...ADDED_BY_CURL.filter((name) => !names.includes(name)).map((name) => `-H ${quoted(`${name}:`)}`),
    ...(method === 'GET' ? [] : [`--data-binary ${isInArgument ? quoted(body.bytes.toString()) : '@-'}`]),
  ]
  return (method === 'GET' || isInArgument ? '' : `${printedBy(body)} |\n`) + parts.join(' \\\n  ')
}

// curl sends an empty header for a name with a semicolon. Node.js reads header values as Latin-1, and terminals write UTF-8.
function headerLine(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${Buffer.from(value, 'latin1').toString()}`
}

/** Whether the body fits into an argument of a shell: UTF-8, without NUL, and not padded. */
function isText({ bytes, trailingSpaces }: Body): boolean {
  return trailingSpaces === 0 && !bytes.includes(0) && bytes.equals(Buffer.from(bytes.toString()))
}

function printedBy({ bytes, trailingSpaces }: Body): string {
  const printed = `printf '%b' ${quoted([...bytes].map(escaped).join(''))}`
  return trailingSpaces === 0 ? printed : `{ ${printed}; printf '%${trailingSpaces}s' ''; }`
}

function escaped(byte: number): string {
  const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x5c
  return isPlain ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, '0')}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

import type { Body, Delivery } from './delivery.ts'

/** A header that curl adds by itself, and the receiver must not see when the delivery has none. */
const ADDED_BY_CURL = ['content-type', 'user-agent']

/**
 * The command that sends a delivery again, for any POSIX shell. It holds the signature, which is valid for five minutes, and never
 * the secret.
 */
export function curlOf(delivery: Delivery): string {
  const { method, url, headers, body } = delivery
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const parts = [
    `curl -i --max-time 10${method === 'POST' ? '' : ` -X ${method}`} ${quoted(url.href)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(headerLine(name, value))}`),
    ...ADDED_BY_CURL.filter((name) => !names.includes(name)).map((name) => `-H ${quoted(`${name}:`)}`),
    ...(method === 'GET' ? [] : [isText(body) ? `--data-binary ${quoted(body.bytes.toString())}` : '--data-binary @-']),
  ]
  return (method === 'GET' || isText(body) ? '' : `${printedBy(body)} |\n`) + parts.join(' \\\n  ')
}

// A name and a semicolon is how curl is told to send an empty header.
function headerLine(name: string, value: string): string {
  // Header values are bytes, which Node.js writes as Latin-1 and a terminal as UTF-8.
  return value === '' ? `${name};` : `${name}: ${Buffer.from(value, 'latin1').toString()}`
}

/** Whether the shell can hold the body: UTF-8, no NUL, and not padded. */
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

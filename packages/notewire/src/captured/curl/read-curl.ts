import { CaptureError } from '../capture-error.ts'
import type { CapturedHeader, CapturedRequest } from '../captured-request.ts'
import { bytesOfText, textOfBytes } from '../escaped-text.ts'
import { type CurlOption, curlOptions, type GivenOption } from './curl-options.ts'
import { shellWords } from './shell-words.ts'

/** Longer commands are none that anybody copied, and take long to read. */
const LONGEST_COMMAND = 4 * 1024 * 1024

/** Reads a file that a command names with `@`. */
export type ReadFile = (path: string) => Uint8Array

/**
 * Reads a curl command, as browsers copy it for bash, as the console of the mock service shows it, or as somebody typed it.
 *
 * @throws {@link CaptureError} for what is no such command, and for a body that it does not hold
 */
export function readCurl(command: string, readFile: ReadFile): CapturedRequest {
  if (command.length > LONGEST_COMMAND) {
    throw new CaptureError('is a command of more than 4 MiB. Put the body into a file: --data-binary @file.')
  }
  const { words, variables } = shellWords(withoutPrompt(command))
  const program = words.findIndex((word) => /(?:^|[\\/])curl(?:\.exe)?$/.test(word))
  if (program < 0) throw new CaptureError('holds no curl command. Paste one that begins with "curl".')
  const options = untilNext(curlOptions(words.slice(program + 1)))
  const body = bodyOf(options, readFile)
  return {
    format: 'curl',
    entry: 1,
    method: options.findLast(is('request'))?.value ?? impliedMethod(options, body),
    headers: options.flatMap((option) => headersOf(option, readFile)),
    body: body ?? new Uint8Array(),
    notices: variables.map((name) => `the command uses the shell variable $${name}, whose value is taken as empty`),
  }
}

function withoutPrompt(command: string): string {
  const text = command.replace(/^\ufeff?\s*(?:[$#%>]\s+)?/, '')
  if (/\^"|\^\r?\n/.test(text)) {
    throw new CaptureError('is a curl command for the Windows command prompt. Copy it as cURL (bash).')
  }
  return text
}

function untilNext(options: readonly GivenOption[]): readonly GivenOption[] {
  const next = options.findIndex(is('next'))
  return next < 0 ? options : options.slice(0, next)
}

function is(option: CurlOption): (given: GivenOption) => boolean {
  return (given) => given.option === option
}

function impliedMethod(options: readonly GivenOption[], body: Uint8Array | undefined): string {
  if (options.some(is('upload'))) return 'PUT'
  return body === undefined || options.some(is('get')) ? 'GET' : 'POST'
}

function headersOf({ option, value }: GivenOption, readFile: ReadFile): readonly CapturedHeader[] {
  switch (option) {
    case 'header':
      if (!value.startsWith('@')) return headerOf(value)
      return textOfBytes(readFile(value.slice(1)))
        .split(/\r?\n/)
        .flatMap(headerOf)
    case 'cookie':
      return value.includes('=') ? [{ name: 'cookie', value }] : []
    case 'user-agent':
    case 'referer':
      return [{ name: option, value }]
    case 'json':
      return [{ name: 'content-type', value: 'application/json' }]
    default:
      return []
  }
}

/** `Name: value`; `Name;` is a header without a value, and `Name:` takes one away. */
function headerOf(text: string): readonly CapturedHeader[] {
  const colon = text.indexOf(':')
  if (colon <= 0) return text.endsWith(';') ? [{ name: text.slice(0, -1).trim(), value: '' }] : []
  const value = text.slice(colon + 1).trim()
  return value === '' ? [] : [{ name: text.slice(0, colon).trim(), value }]
}

/** What the command sends; several parts are joined by `&`, but those of `--json`. */
function bodyOf(options: readonly GivenOption[], readFile: ReadFile): Uint8Array | undefined {
  const parts: Uint8Array[] = []
  for (const { option, value } of options) {
    const part = partOf(option, value, readFile)
    if (part === undefined) continue
    if (parts.length > 0 && option !== 'json') parts.push(bytesOfText('&'))
    parts.push(part)
  }
  return parts.length === 0 ? undefined : Uint8Array.from(Buffer.concat(parts))
}

function partOf(option: CurlOption, value: string, readFile: ReadFile): Uint8Array | undefined {
  switch (option) {
    case 'data':
      // Without --data-binary, curl leaves line breaks out of what it reads from a file.
      return value.startsWith('@') ? withoutLineBreaks(fileOf(value.slice(1), readFile)) : bytesOfText(value)
    case 'data-binary':
    case 'json':
      return value.startsWith('@') ? fileOf(value.slice(1), readFile) : bytesOfText(value)
    case 'data-raw':
      return bytesOfText(value)
    case 'data-urlencode':
      return urlEncoded(value, readFile)
    case 'upload':
      return fileOf(value, readFile)
    case 'form':
      throw new CaptureError('is a form (-F), which no notification is. Capture the request that the service sent.')
    default:
      return undefined
  }
}

function fileOf(path: string, readFile: ReadFile): Uint8Array {
  if (path !== '-') return readFile(path)
  throw new CaptureError('takes its body from its standard input (@-), which is not in it. Name a file instead.')
}

function withoutLineBreaks(bytes: Uint8Array): Uint8Array {
  return bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d && byte !== 0)
}

/** `content`, `=content`, `name=content`, `@file` or `name@file`. */
function urlEncoded(value: string, readFile: ReadFile): Uint8Array {
  const {
    name = '',
    sign = '',
    content = '',
  } = /^(?<name>[^=@]*)(?<sign>[=@])(?<content>[\s\S]*)$/.exec(value)?.groups ?? {
    content: value,
  }
  const bytes = sign === '@' ? fileOf(content, readFile) : bytesOfText(content)
  const encoded = Array.from(bytes, percentEncoded).join('')
  return bytesOfText(name === '' ? encoded : `${name}=${encoded}`)
}

function percentEncoded(byte: number): string {
  const character = String.fromCharCode(byte)
  return /[A-Za-z0-9._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Difference, DifferenceCode, Reading } from './difference.ts'

/** What a body that was compressed may come to: more is a bomb, and no notification. */
const LARGEST_INFLATED_BYTES = 64 * 1024

const RAW_FIX = 'Verify the bytes as they came, before anything decodes or encodes them.'

/** What programs do to a whole body: compress, encode, and read its bytes in the wrong alphabet; each undone. */
export function encodedReadings(body: Uint8Array): readonly Reading<Uint8Array>[] {
  const text = Buffer.from(body).toString('latin1')
  return [
    ...reading('body_compressed', 'the body is still compressed', inflated(body), COMPRESSED_FIX),
    ...reading(
      'body_mojibake',
      'the body was read as Latin-1 and written as UTF-8',
      unmixed(body, toLatin1),
      CHARSET_FIX,
    ),
    ...reading(
      'body_mojibake',
      'the body was read as Windows-1252 and written as UTF-8',
      unmixed(body, toWindows1252),
      CHARSET_FIX,
    ),
    ...reading('body_latin1', 'the body was written in Latin-1', fromLatin1(body), CHARSET_FIX),
    ...reading('body_base64', 'the body is in base64', fromBase64(text), BASE64_FIX),
    ...reading('body_url_encoded', 'the body is URL-encoded', urlDecoded(text), FORM_FIX),
    ...reading(
      'body_url_encoded',
      'the body is URL-encoded, as a form',
      urlDecoded(text.replaceAll('+', ' ')),
      FORM_FIX,
    ),
    ...reading('body_url_encoded', 'the body was taken for a form', withoutFormSign(body), FORM_FIX),
    ...reading('body_url_decoded', 'the plus signs of the body became spaces', withPlus(body), FORM_FIX),
    ...reading('body_url_decoded', 'the body was URL-decoded', urlEncoded(body), FORM_FIX),
    ...reading('body_json_in_string', 'the body is JSON within a JSON string', fromJsonString(body), STRING_FIX),
  ].filter(({ value }) => Buffer.compare(value, body) !== 0)
}

const COMPRESSED_FIX =
  'The service signs the body before it is compressed: let the server decode content-encoding, and verify what comes of it.'
const CHARSET_FIX = `Read the body as bytes, or as UTF-8: no other alphabet. ${RAW_FIX}`
const BASE64_FIX = 'Decode the body first: AWS Lambda says so by isBase64Encoded, and lambdaHandler does it.'
const FORM_FIX = `The body is JSON: keep the form parser from it (content-type application/json). ${RAW_FIX}`
const STRING_FIX = `Something stringified a text that was JSON already. ${RAW_FIX}`

function reading(
  code: DifferenceCode,
  what: string,
  value: Uint8Array | undefined,
  fix: string,
): readonly Reading<Uint8Array>[] {
  const difference: Difference = { code, subject: 'body', what, fix }
  return value === undefined ? [] : [{ value: Uint8Array.from(value), differences: [difference] }]
}

function inflated(body: Uint8Array): Uint8Array | undefined {
  const limit = { maxOutputLength: LARGEST_INFLATED_BYTES }
  for (const inflate of [gunzipSync, inflateSync, brotliDecompressSync]) {
    try {
      const bytes = inflate(body, limit)
      if (bytes.length > 0) return bytes
    } catch {
      // Not compressed so.
    }
  }
  return undefined
}

function utf8Of(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}

/** The bytes whose characters, in another alphabet, the body holds. */
function unmixed(body: Uint8Array, byteOf: (character: string) => number | undefined): Uint8Array | undefined {
  const bytes: number[] = []
  for (const character of utf8Of(body) ?? '') {
    const byte = byteOf(character)
    if (byte === undefined) return undefined
    bytes.push(byte)
  }
  return bytes.length === 0 ? undefined : Uint8Array.from(bytes)
}

function toLatin1(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0
  return code <= 0xff ? code : undefined
}

const WINDOWS_1252 = new Map(
  Array.from({ length: 256 }, (_, byte) => [new TextDecoder('windows-1252').decode(Uint8Array.of(byte)), byte]),
)

function toWindows1252(character: string): number | undefined {
  return WINDOWS_1252.get(character)
}

function fromLatin1(body: Uint8Array): Uint8Array | undefined {
  return utf8Of(body) === undefined ? Buffer.from(Buffer.from(body).toString('latin1'), 'utf8') : undefined
}

function fromBase64(text: string): Uint8Array | undefined {
  const base64 = text.trim()
  return /^[A-Za-z0-9+/_\r\n-]{16,}={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : undefined
}

function urlDecoded(text: string): Uint8Array | undefined {
  if (!/%[\da-f]{2}/i.test(text)) return undefined
  try {
    return Buffer.from(decodeURIComponent(text), 'utf8')
  } catch {
    return undefined
  }
}

/** A form parser takes the whole JSON for the name of a field without a value. */
function withoutFormSign(body: Uint8Array): Uint8Array | undefined {
  return Buffer.from(body).toString('latin1').endsWith('}=') ? body.subarray(0, -1) : undefined
}

function withPlus(body: Uint8Array): Uint8Array | undefined {
  return body.includes(0x20) ? body.map((byte) => (byte === 0x20 ? 0x2b : byte)) : undefined
}

function urlEncoded(body: Uint8Array): Uint8Array | undefined {
  const text = utf8Of(body)
  return text?.isWellFormed() === true ? Buffer.from(encodeURIComponent(text), 'utf8') : undefined
}

function fromJsonString(body: Uint8Array): Uint8Array | undefined {
  try {
    const value: unknown = JSON.parse(utf8Of(body) ?? '')
    return typeof value === 'string' ? Buffer.from(value, 'utf8') : undefined
  } catch {
    return undefined
  }
}

import type { BodyCauseCode } from './refusal-cause.ts'

/** A body that may have been signed, and the change that turned it into the body that arrived. */
export interface SignedBody {
  readonly code: BodyCauseCode
  readonly body: Uint8Array | string
}

/**
 * The bodies that may have been signed if this one arrived: at most 12, in each of which one usual change is undone. The caller
 * bounds the size and the nesting of the body.
 */
export function signedBodies(arrived: Uint8Array): readonly SignedBody[] {
  const text = utf8TextOf(arrived)
  if (text === undefined) return [{ code: 'body_encoding', body: latin1TextOf(arrived) }]
  return [
    ...withoutChangedNewline(text),
    ...withOtherLineEndings(text),
    ...inAnotherEncoding(text),
    ...decoded(text),
    ...serialisedOtherwise(text),
  ]
}

function withoutChangedNewline(text: string): readonly SignedBody[] {
  const bodies = /\n$/.test(text) ? [text.replace(/\r?\n$/, '')] : [`${text}\n`, `${text}\r\n`]
  return bodies.map((body) => ({ code: 'body_newline', body }))
}

function withOtherLineEndings(text: string): readonly SignedBody[] {
  if (!text.includes('\n')) return []
  const body = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\n', '\r\n')
  return [{ code: 'body_line_endings', body }]
}

function inAnotherEncoding(text: string): readonly SignedBody[] {
  const bodies: SignedBody[] = []
  if (text.startsWith('\ufeff')) bodies.push({ code: 'body_encoding', body: text.slice(1) })
  // UTF-8 that was read as Latin-1 and written as UTF-8.
  if (/[\u0080-\u00ff]/.test(text) && !/[\u0100-\uffff]/.test(text)) {
    bodies.push({ code: 'body_encoding', body: latin1BytesOf(text) })
  }
  return bodies
}

function decoded(text: string): readonly SignedBody[] {
  const value = parsed(text)
  if (typeof value === 'string') return [{ code: 'body_encoded', body: value }]
  if (value !== undefined || !/^[A-Za-z0-9+/]+={0,2}\s*$/.test(text)) return []
  try {
    return [{ code: 'body_encoded', body: latin1BytesOf(atob(text.trim())) }]
  } catch {
    return []
  }
}

/** As `JSON.stringify` and Python's `json.dumps` write JSON, with and without escapes for what is not ASCII. */
function serialisedOtherwise(text: string): readonly SignedBody[] {
  const value = parsed(text)
  if (value === undefined) return []
  const compact = JSON.stringify(value)
  const indented = JSON.stringify(value, null, 2)
  // Within texts, line breaks are escaped: the others stand between the values.
  const spaced = indented.replace(/,\n */g, ', ').replace(/\n */g, '')
  const forms = new Set([compact, spaced, indented, inAscii(compact), inAscii(spaced)])
  forms.delete(text)
  return Array.from(forms, (body) => ({ code: 'body_reserialised', body }))
}

function inAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function utf8TextOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function latin1TextOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}

function latin1BytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

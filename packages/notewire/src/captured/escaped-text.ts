// A byte that is no text is carried as a lone surrogate, which no UTF-8 text can hold (as Python's "surrogateescape" does).
const ESCAPE = 0xdc00

/** Text of any bytes, so that {@link bytesOfText} gives the same bytes again. */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : escapedByte(byte))).join('')
  }
}

/** The bytes of a text, in UTF-8, but for the bytes that it escapes. */
export function bytesOfText(text: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  if (!ESCAPED.test(text)) return encoder.encode(text)
  const parts = text.split(ESCAPED).map((part) => {
    const unit = part.length === 1 ? part.charCodeAt(0) : 0
    return unit >= ESCAPE + 0x80 && unit <= ESCAPE + 0xff ? Uint8Array.of(unit - ESCAPE) : encoder.encode(part)
  })
  return Uint8Array.from(Buffer.concat(parts))
}

const ESCAPED = /(?<![\ud800-\udbff])([\udc80-\udcff])/

/** A byte from 0x80, as it is carried in a text. */
export function escapedByte(byte: number): string {
  return String.fromCharCode(ESCAPE + byte)
}

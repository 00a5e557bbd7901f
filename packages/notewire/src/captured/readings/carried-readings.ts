import type { Difference, DifferenceCode, Reading } from './difference.ts'

const LF = 0x0a
const CR = 0x0d
const BOM = [0xef, 0xbb, 0xbf]

const KEEP_BYTES = 'Hand the verifier the bytes of the request, and no text that was read, cleaned or saved on the way.'

/** What editors, logs and files do to a body: line breaks, white space and byte order marks; each undone. */
export function carriedReadings(body: Uint8Array): readonly Reading<Uint8Array>[] {
  return [
    reading('body_newline_added', 'the body was given a line break at its end', withoutLastBreak(body)),
    reading('body_whitespace_around', 'the body was given white space around it', trimmed(body)),
    reading(
      'body_newline_lost',
      'the body has lost the line break at its end',
      Buffer.concat([body, Uint8Array.of(LF)]),
    ),
    reading(
      'body_newline_lost',
      'the body has lost the line break (CR LF) at its end',
      Buffer.concat([body, Uint8Array.of(CR, LF)]),
    ),
    reading('body_line_endings', 'the line breaks of the body became CR LF', withLf(body)),
    reading('body_line_endings', 'the line breaks of the body became LF alone', withCrLf(body)),
    reading('body_bom_added', 'the body was given a byte order mark', startsWithBom(body) ? body.subarray(3) : body),
    reading('body_bom_lost', 'the body has lost its byte order mark', Buffer.concat([Uint8Array.from(BOM), body])),
  ].filter(({ value }) => Buffer.compare(value, body) !== 0)
}

function reading(code: DifferenceCode, what: string, value: Uint8Array): Reading<Uint8Array> {
  const difference: Difference = { code, subject: 'body', what, fix: KEEP_BYTES }
  return { value: Uint8Array.from(value), differences: [difference] }
}

function withoutLastBreak(body: Uint8Array): Uint8Array {
  if (body.at(-1) !== LF) return body
  return body.subarray(0, body.at(-2) === CR ? -2 : -1)
}

function trimmed(body: Uint8Array): Uint8Array {
  const isText = (byte: number) => byte > 0x20
  const start = body.findIndex(isText)
  return start < 0 ? body : body.subarray(start, body.findLastIndex(isText) + 1)
}

function withLf(body: Uint8Array): Uint8Array {
  return body.filter((byte, index) => byte !== CR || body[index + 1] !== LF)
}

function withCrLf(body: Uint8Array): Uint8Array {
  // Latin-1 has a character for every byte, and gives each back.
  return Buffer.from(
    Buffer.from(body)
      .toString('latin1')
      .replace(/(?<!\r)\n/g, '\r\n'),
    'latin1',
  )
}

function startsWithBom(body: Uint8Array): boolean {
  return BOM.every((byte, index) => body[index] === byte)
}

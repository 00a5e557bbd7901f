/**
 * JSON for PostgreSQL, whose text holds neither NUL nor half of a surrogate pair: each is written as U+001A and the four
 * hexadecimal digits of its code, and so is U+001A itself. What is read is what was written, and no two texts become one.
 */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value).replace(ESCAPE, (found, code: string | undefined) => (code ? `\\u001a${code}` : found))
}

/** Reads what `escapedJson` wrote, or PostgreSQL made of it. */
export function readEscapedJson(json: string): unknown {
  return JSON.parse(json.replace(ESCAPED, (found, code: string | undefined) => (code ? `\\u${code}` : found)))
}

/** One text, as it stands within JSON. */
export function escapedText(text: string): string {
  return JSON.parse(escapedJson(text)) as string
}

// Both take one escape at a time, so that a backslash that is text itself escapes nothing. `JSON.stringify` escapes no surrogate but
// halves of pairs.
const ESCAPE = /\\(?:u(0000|001a|d[89a-f][0-9a-f]{2})|.)/g
const ESCAPED = /\\(?:u001a([0-9a-f]{4})|.)/g

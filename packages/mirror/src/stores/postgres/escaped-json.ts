/**
 * JSON for PostgreSQL, whose text can contain neither NUL nor an unpaired surrogate. Strings in it are escaped as by `escapedText`, so that
 * `readEscapedJson` returns the original value.
 */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value).replace(ESCAPE, (found, code: string | undefined) => (code ? `\\u001a${code}` : found))
}

/** Parses JSON of `escapedJson`, or JSON that PostgreSQL built from it. */
export function readEscapedJson(json: string): unknown {
  return JSON.parse(json.replace(ESCAPED, (found, code: string | undefined) => (code ? `\\u${code}` : found)))
}

// Both match one escape at a time, so that an escaped backslash does not escape the next character. `JSON.stringify` escapes only unpaired
// surrogates.
const ESCAPE = /\\(?:u(0000|001a|d[89a-f][0-9a-f]{2})|.)/g
const ESCAPED = /\\(?:u001a([0-9a-f]{4})|.)/g

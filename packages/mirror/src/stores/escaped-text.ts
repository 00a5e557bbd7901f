// A control character that does not occur in usual text.
const ESCAPE = '\u001A'

/**
 * Escapes NUL and unpaired surrogates, which databases cannot store as text, and U+001A itself: each becomes U+001A and the four hexadecimal
 * digits of its code. Different texts have different results.
 */
export function escapedText(text: string): string {
  if (text.isWellFormed() && !text.includes('\0') && !text.includes(ESCAPE)) return text
  return text.replaceAll(/[\p{Control}\p{Surrogate}]/gu, (found) =>
    found === '\0' || found === ESCAPE || !found.isWellFormed() ? ESCAPE + hexOf(found) : found,
  )
}

/** Reverts `escapedText`. */
export function unescapedText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored
  const [start = '', ...parts] = stored.split(ESCAPE)
  return (
    start + parts.map((part) => String.fromCharCode(Number.parseInt(part.slice(0, 4), 16)) + part.slice(4)).join('')
  )
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0')
}

/**
 * JSON for databases whose text can contain neither NUL nor an unpaired surrogate. Strings in it are escaped as by `escapedText`, so that
 * `readEscapedJson` returns the original value.
 */
export function escapedJson(value: unknown): string {
  const json = JSON.stringify(value)
  if (!json.includes('\\u')) return json
  return json.replace(JSON_ESCAPE, (found, code: string | undefined) => (code ? `\\u001a${code}` : found))
}

/** Parses JSON of `escapedJson`, or JSON that a database built from it. */
export function readEscapedJson(json: string): unknown {
  if (!json.includes('\\u001a')) return JSON.parse(json)
  return JSON.parse(
    json.replace(STORED_JSON_ESCAPE, (found, code: string | undefined) => (code ? `\\u${code}` : found)),
  )
}

// Both match one escape at a time, so that an escaped backslash does not escape the next character. `JSON.stringify` escapes only unpaired
// surrogates.
const JSON_ESCAPE = /\\(?:u(0000|001a|d[89a-f][0-9a-f]{2})|.)/g
const STORED_JSON_ESCAPE = /\\(?:u001a([0-9a-f]{4})|.)/g

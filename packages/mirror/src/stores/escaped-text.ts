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

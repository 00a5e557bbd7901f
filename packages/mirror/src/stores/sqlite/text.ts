// A control character that nobody writes.
const MARK = '\u001A'

/**
 * Text as SQLite can hold it. NUL would end it for some readers, and half of a surrogate pair is no text: each is written as
 * U+001A and the four hexadecimal digits of its code, and so is U+001A itself. No two texts become one.
 */
export function storedText(text: string): string {
  if (text.isWellFormed() && !text.includes('\0') && !text.includes(MARK)) return text
  return text.replaceAll(/[\p{Control}\p{Surrogate}]/gu, (found) =>
    found === '\0' || found === MARK || !found.isWellFormed() ? MARK + hexOf(found) : found,
  )
}

/** The text that `storedText` was given. */
export function originalText(stored: string): string {
  if (!stored.includes(MARK)) return stored
  const [start = '', ...marked] = stored.split(MARK)
  return (
    start + marked.map((part) => String.fromCharCode(Number.parseInt(part.slice(0, 4), 16)) + part.slice(4)).join('')
  )
}

/** The same for what may be absent. */
export function storedOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : storedText(text)
}

/** The same for what may be absent. */
export function originalOrNull(stored: string | null): string | null {
  return stored === null ? null : originalText(stored)
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0')
}

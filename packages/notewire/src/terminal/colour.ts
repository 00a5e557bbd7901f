import { randomInt } from 'node:crypto'
import { styleText } from 'node:util'

/** Parameters that no text from outside can know. They mark the colour codes of the program until they are printed. */
const NONCE = Array.from({ length: 4 }, () => randomInt(1_000, 10_000)).join(';')

/** A colour code of the program. */
export const OWN_CODE: RegExp = new RegExp(`\\u001b\\[${NONCE};[0-9;]*m`, 'g')

/** Colours a text that is printable. The codes are marked, and {@link unmarked} makes codes of them that a terminal knows. */
export function coloured(...[format, text, options]: Parameters<typeof styleText>): string {
  return styleText(format, text, options)
    .replaceAll(`\u001b[${NONCE};`, '\u001b[')
    .replaceAll('\u001b[', `\u001b[${NONCE};`)
}

export function unmarked(text: string): string {
  return text.replaceAll(`\u001b[${NONCE};`, '\u001b[')
}

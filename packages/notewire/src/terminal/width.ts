import { Help } from '@commander-js/extra-typings'
import truncate from 'fast-string-truncated-width'
import { OWN_CODE } from './colour.ts'

const MAX_WIDTH = 100
const MIN_WIDTH = 40

/** The width for text on a stream: that of the terminal, within limits; 80 columns if the stream is not a terminal. */
export function widthOf({ columns }: { readonly columns?: number | undefined }): number {
  // A pseudo-terminal without a size reports 0.
  return columns === undefined || columns === 0 ? 80 : Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns))
}

/** The number of columns of a text in a terminal. Colour codes take none; wide characters, such as emoji, take two. */
export function displayWidth(text: string): number {
  return truncate(text).width
}

const help = Object.assign(new Help(), { minWidthToWrap: 1, displayWidth })

/** Breaks a text between words so that no line is wider than `width`, unless a word is. The text is one paragraph: line breaks in it become spaces. */
export function wrap(text: string, width: number, indent = ''): readonly string[] {
  // White space at the end of a text would take commander quadratic time, and is dropped anyway.
  const lines = help.boxWrap(printable(text).trimEnd(), width - indent.length).split('\n')
  return lines.map((line) => (line === '' ? '' : indent + line))
}

/** Like {@link wrap}, with a label before the first line. The other lines are as far to the right as the text of the first. */
export function hanging(label: string, text: string, width: number): readonly string[] {
  const [first = '', ...others] = wrap(text, width, ' '.repeat(displayWidth(label)))
  return [label + first.trimStart(), ...others]
}

/** Cuts a text that is too wide, and ends it with `…`. */
export function cut(text: string, width: number): string {
  const { truncated, index } = truncate(text, { limit: width, ellipsis: '…' })
  return truncated ? `${text.slice(0, index).toWellFormed()}…` : text
}

/** What a terminal would execute, and what changes the direction of the text around it or is invisible. */
const UNPRINTABLE = String.raw`[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb]`

const OWN_OR_UNPRINTABLE = new RegExp(`${OWN_CODE.source}|${UNPRINTABLE}`, 'gu')

/** Makes one line of a text from outside: replaces characters that a terminal would execute with spaces. The colours of the program stay. */
export function printable(text: string): string {
  return text.replace(OWN_OR_UNPRINTABLE, (found) => (found.length === 1 ? ' ' : found))
}

export function isPrintable(text: string): boolean {
  return !new RegExp(UNPRINTABLE, 'u').test(text)
}

const UNPRINTABLE_IN_JSON = new RegExp(UNPRINTABLE, 'gu')

/**
 * The JSON of a value, in which every character that is not printable is escaped. A program reads the same value, and a terminal executes
 * nothing.
 */
export function printableJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent) ?? 'null'
  return json.replace(UNPRINTABLE_IN_JSON, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

import { stripVTControlCharacters } from 'node:util'
import { Help } from '@commander-js/extra-typings'

const WIDEST = 100
const NARROWEST = 40

/** The width for text on a stream: that of the terminal, within limits, and 80 columns elsewhere. */
export function widthOf({ columns }: { readonly columns?: number | undefined }): number {
  // A pseudo-terminal without a size reports 0.
  return columns === undefined || columns === 0 ? 80 : Math.min(WIDEST, Math.max(NARROWEST, columns))
}

const help = Object.assign(new Help(), { minWidthToWrap: 1 })

/** Breaks a text between words so that no line is wider than `width`, unless a word is. Line breaks are kept. */
export function wrap(text: string, width: number, indent = ''): string {
  return help.boxWrap(text, width - indent.length).replaceAll(/^(?=.)/gm, indent)
}

/** Cuts a text that is too wide, and marks the cut with `…`. */
export function cut(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${[...text].slice(0, Math.max(0, width - 1)).join('')}…`
}

/** The number of columns of a text, without colour codes. Wide characters count as one. */
export function displayWidth(text: string): number {
  return [...stripVTControlCharacters(text)].length
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Makes one line of a text from elsewhere, without control characters that a terminal would obey. */
export function printable(text: string): string {
  return text.replace(CONTROL_CHARACTERS, ' ')
}

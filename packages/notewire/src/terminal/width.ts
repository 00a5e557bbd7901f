import { Help } from '@commander-js/extra-typings'
import truncate from 'fast-string-truncated-width'

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

/** Breaks a text between words so that no line is wider than `width`, unless a word is. Line breaks are kept. */
export function wrap(text: string, width: number, indent = ''): string {
  // White space at the end of a line would take commander quadratic time, and is dropped anyway.
  const lines = text.split('\n').map((line) => line.trimEnd())
  return help.boxWrap(lines.join('\n'), width - indent.length).replaceAll(/^(?=.)/gm, indent)
}

/** Cuts a text that is too wide, and ends it with `…`. */
export function cut(text: string, width: number): string {
  const { truncated, index } = truncate(text, { limit: width, ellipsis: '…' })
  return truncated ? `${text.slice(0, index).toWellFormed()}…` : text
}

/** Makes one line of a text from the service or a file: replaces control characters, which a terminal would execute, with spaces. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, ' ')
}

import { stripVTControlCharacters } from 'node:util'

/** Text wider than this is hard to read, whatever the terminal. */
const WIDEST = 100
const NARROWEST = 40

/** How wide text may be on a stream: that of the terminal within reason, and 80 columns elsewhere. */
export function widthOf({ columns }: { readonly columns?: number | undefined }): number {
  // A pseudo-terminal that nobody has sized says 0.
  return columns === undefined || columns === 0 ? 80 : Math.min(WIDEST, Math.max(NARROWEST, columns))
}

/** Breaks a text between words so that no line is wider than `width`, but for words that are; line breaks are kept. */
export function wrap(text: string, width: number, indent = ''): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width - indent.length))
    .map((line) => (line === '' ? '' : indent + line))
    .join('\n')
}

function wrapLine(line: string, width: number): readonly string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    if (current !== '' && displayWidth(current) + 1 + displayWidth(word) > width) {
      lines.push(current)
      current = word
    } else {
      current = current === '' ? word : `${current} ${word}`
    }
  }
  return [...lines, current]
}

/** Cuts a text that is too wide, and shows that it was cut. */
export function cut(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${[...text].slice(0, Math.max(0, width - 1)).join('')}…`
}

/** How many columns a text takes: colour takes none. Wide characters count as one. */
export function displayWidth(text: string): number {
  return [...stripVTControlCharacters(text)].length
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Text of others as one line that can do nothing to a terminal. */
export function printable(text: string): string {
  return text.replace(CONTROL_CHARACTERS, ' ')
}

import { parse } from 'shell-quote'
import { CaptureError } from '../capture-error.ts'
import { escapedByte } from '../escaped-text.ts'

/** The words of a shell command. */
export interface ShellWords {
  readonly words: readonly string[]
  /** The variables that the command uses. Nobody knows their values: they are taken as empty. */
  readonly variables: readonly string[]
}

/**
 * The words of the first command of a text, as a POSIX shell with ANSI-C quoting reads it.
 *
 * @throws {@link CaptureError} when a quote is not closed
 */
export function shellWords(command: string): ShellWords {
  const variables = new Set<string>()
  const words: string[] = []
  for (const entry of wordsOf(command, variables)) {
    if (typeof entry === 'string') words.push(entry)
    else if ('pattern' in entry) words.push(entry.pattern)
    // Behind ";", "|" or ">" is another command, or a file for the answer.
    else break
  }
  return { words, variables: [...variables] }
}

function wordsOf(command: string, variables: Set<string>): ReturnType<typeof parse> {
  const valueIn = (name: string): string | undefined => {
    if (name === '') return undefined
    variables.add(name)
    return ''
  }
  const prepared = preparedForParsing(command)
  try {
    return parse(prepared, valueIn)
  } catch {
    throw new CaptureError('has a "${" that is not closed, or a word too long to read. Paste the whole command.')
  }
}

const PIECES = /\$'(?:\\[\s\S]|[^\\'])*'|\$'|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\(?:\r\n|[\s\S]|$)|['"]|(?<=\S)#/g

/** Says for shell-quote, piece by piece, what it reads otherwise than a shell. */
function preparedForParsing(command: string): string {
  return command.replace(PIECES, (piece) => {
    if (["'", '"', "$'"].includes(piece)) {
      throw new CaptureError('has a quote that is not closed. Paste the whole command.')
    }
    switch (piece.charAt(0)) {
      case '$':
        return withBytes(piece)
      case '"':
        return piece.replace(/\\(?:\r?\n|(`)|[\s\S])/g, unescaped)
      case '\\':
        return /^\\(?:\r?\n)?$/.test(piece) ? '' : piece
      case '#':
        return '\\#'
      default:
        return piece
    }
  })
}

/** Within double quotes a backslash before a line break joins lines, and one before a backtick goes. */
function unescaped(escaped: string, backtick: string | undefined): string {
  if (/\n$/.test(escaped)) return ''
  return backtick ?? escaped
}

/** `\xe9` and `\351` are bytes to a shell, and characters to shell-quote. */
function withBytes(quoted: string): string {
  return quoted.replace(/\\(?:x(?<hex>[\da-f]{1,2})|(?<octal>[0-7]{1,3})|[\s\S])/gi, (escaped, ...rest) => {
    const { hex, octal } = rest.at(-1) as { readonly hex?: string; readonly octal?: string }
    const byte = hex === undefined ? Number.parseInt(octal ?? '0', 8) & 0xff : Number.parseInt(hex, 16)
    return byte < 0x80 ? escaped : escapedByte(byte)
  })
}

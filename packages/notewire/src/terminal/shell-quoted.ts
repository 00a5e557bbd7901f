import { isPrintable } from './width.ts'

/**
 * Stands for a space in a printed command until the command is printed, so that no line breaks there: a shell would take the two lines for
 * two commands, or read a line break in a quoted name. No character of Unicode has this number.
 */
const KEPT_SPACE = '\ufdd0'

export function withSpaces(text: string): string {
  return text.replaceAll(KEPT_SPACE, ' ')
}

/** Quotes a text as one argument for any POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * A command for the shell of the user, for a message: `shellCommand\`chmod 600 ${path}\``. Each value is one argument, quoted if it has to be, for
 * any POSIX shell; in Windows, for PowerShell and cmd.exe.
 */
export function shellCommand(words: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  const command = words.map((word, index) => word + (index < values.length ? argument(String(values[index])) : ''))
  return inOneLine(command.join(''))
}

/** A command that sets a variable of the environment in the shell of the user: a POSIX shell; in Windows, PowerShell. */
export function variableCommand(name: string, value: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32'
    ? inOneLine(`$env:${name} = ${powerShellQuoted(value)}`)
    : shellCommand`export ${name}=${value}`
}

/** Quotes a text as one argument for PowerShell and cmd.exe, if it has to be. */
export function windowsArgument(text: string): string {
  if (/^[\w./:\\+=-]+$/.test(text)) return text
  // PowerShell would expand these in double quotes. cmd.exe knows no others.
  if (/["“”„$`]/.test(text)) return powerShellQuoted(text)
  // A program reads a backslash and a quote as a quote.
  return `"${text.replace(/(?<!\\)\\+$/, '$&$&')}"`
}

function inOneLine(command: string): string {
  return command.replaceAll(' ', KEPT_SPACE)
}

function powerShellQuoted(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`
}

function argument(text: string): string {
  if (process.platform === 'win32') return windowsArgument(text)
  if (/^[\w./:@%+,=-]+$/.test(text)) return text
  if (isPrintable(text)) return shellQuoted(text)
  // What is not printable is written as octal numbers, for printf to print.
  const bytes = [...Buffer.from(text)].map((byte) =>
    /[\w./:@%+,= -]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `\\0${byte.toString(8).padStart(3, '0')}`,
  )
  return `"$(printf '%b' '${bytes.join('')}')"`
}

/** The path of a file as an argument that no program takes for an option. */
export function fileArgument(path: string): string {
  return path.startsWith('-') ? `./${path}` : path
}

import type { styleText } from 'node:util'
import { type ExitCode, failureOf } from '../errors/failure.ts'
import { coloured } from './colour.ts'
import type { Screen } from './screen.ts'
import { withSpaces } from './shell-quoted.ts'
import { hanging, printable, printableJson, widthOf, wrap } from './width.ts'

/** The version of the format of all JSON output: the field `schema_version` of every object. */
export const SCHEMA_VERSION = 1

type Paint = (format: Parameters<typeof styleText>[0], text: string) => string

/** Colours text for a stream that shows colour: `NO_COLOR`, `FORCE_COLOR`, `TERM` and the terminal decide. */
function painter(stream: NodeJS.WriteStream): Paint {
  return (format, text) => coloured(format, printable(text), { stream })
}

/** Prints the results of a command: lines for a person, or JSON for a program. */
export interface Output {
  readonly json: boolean
  readonly width: number
  /** Colours a text for stdout, if stdout shows colour. */
  readonly paint: Paint
  /**
   * Prints a result on stdout: the lines, or with `--json` the record as one line of JSON. It resolves when the text is written. A line break
   * in a line becomes a space, as every character that a terminal would execute.
   *
   * @param record  the result for a program, with fields in snake_case, and without secrets that the user did not ask for
   * @param lines  the result for a person: one line or several, without line breaks
   */
  print(record: object, lines: string | readonly string[]): Promise<void>
  /** Prints a record as one line of JSON on stdout, with and without `--json`, such as a line of an export. */
  printJson(record: object): Promise<void>
  /** Prints a paragraph on stderr: what happens or what to do next. With `--json`, it prints nothing. */
  tell(text: string): void
  /** Prints a warning on stderr, with and without `--json`. */
  warn(text: string): void
}

export function createOutput(screen: Screen, json: boolean): Output {
  const paint = painter(screen.stdout)
  const paintError = painter(screen.stderr)
  const errorWidth = widthOf(screen.stderr)
  return {
    json,
    width: widthOf(screen.stdout),
    paint,
    print: (record, lines) =>
      screen.writeOut(json ? [printableJson({ schema_version: SCHEMA_VERSION, ...record })] : [lines].flat()),
    printJson: (record) => screen.writeOut([printableJson(record)]),
    tell: (text) => {
      if (!json) screen.writeError(wrap(text, errorWidth))
    },
    warn: (text) => screen.writeError(hanging(`${paintError('yellow', 'warning')}  `, text, errorWidth)),
  }
}

/** A record with all field names in snake_case, as `--json` prints them. It must contain no names that are data: they would change, too. */
export function snakeCased(record: object): object {
  const name = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(record).map(([field, value]) => [name(field), snakeCasedValue(value)]))
}

function snakeCasedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCasedValue)
  return typeof value === 'object' && value !== null ? snakeCased(value) : value
}

/** The form of a signing secret (contract §5). */
const SIGNING_SECRET = /\bwhsec_[A-Za-z0-9+/_=-]+/g
/** The user name and the password in a URL, such as that of a database. */
const CREDENTIALS = /:\/\/[^\s/?#]*@/g

/** The characters of an API key (contract §2), as many as there are. One expression for its parts would take quadratic time. */
const KEY_CHARACTERS = /[A-Za-z0-9._~+/=-]+/g
const PREFIX_CHARACTERS = /[A-Za-z0-9._-]{1,64}$/

export interface FailureStyle {
  readonly screen: Screen
  readonly json: boolean
  /** Whether `NOTEWIRE_DEBUG` is set. Only then are stacks shown. */
  readonly debug: boolean
  readonly secrets: ReadonlySet<string>
}

/**
 * Shows an error on stderr: its code, what happened and the next step; with `--json`, as one line of JSON. It shows no
 * secret: neither those that the run has read nor any text that has the form of one.
 */
export function showFailure(error: unknown, { screen, json, debug, secrets }: FailureStyle): ExitCode {
  const paint = painter(screen.stderr)
  const { code, message, exitCode } = failureOf(error)
  const shown = conceal(message, secrets)
  screen.writeError(
    json
      ? [
          printableJson({
            schema_version: SCHEMA_VERSION,
            error: { code, message: withSpaces(shown), exit_code: exitCode },
          }),
        ]
      : hanging(
          `${paint(['red', 'bold'], 'error')}  `,
          `${shown} ${paint('dim', `[${code}]`)}`,
          widthOf(screen.stderr),
        ),
  )
  if (debug && error instanceof Error) screen.writeError(conceal(error.stack ?? String(error), secrets).split('\n'))
  return exitCode
}

/** Replaces every secret that the run has read, and every text that has the form of a secret, in linear time. */
export function conceal(text: string, secrets: ReadonlySet<string>): string {
  // Replacing a short text would garble the message.
  const long = [...secrets].filter((secret) => secret.length >= 8)
  return long
    .reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text)
    .replace(SIGNING_SECRET, '[secret]')
    .replace(CREDENTIALS, '://[secret]@')
    .replace(KEY_CHARACTERS, withoutKey)
}

/** Replaces what has the form of an API key, `<prefix>_live_{key_id}.{secret}`, from its prefix to the end. */
function withoutKey(word: string): string {
  const live = word.indexOf('_live_', 1)
  const dot = live === -1 ? -1 : word.indexOf('.', live)
  if (dot === -1 || dot === word.length - 1) return word
  const prefix = PREFIX_CHARACTERS.exec(word.slice(Math.max(0, live - 64), live))?.[0] ?? ''
  return prefix === '' ? word : `${word.slice(0, live - prefix.length)}[secret]`
}

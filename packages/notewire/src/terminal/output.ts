import { type Paint, painter } from './colour.ts'
import type { Screen } from './screen.ts'
import { widthOf, wrap } from './width.ts'

/** What a command prints: lines for a person, or JSON for a program. */
export interface Output {
  /** Whether `--json` was given: stdout then holds JSON and nothing else. */
  readonly json: boolean
  /** How wide a line for a person should be at most. */
  readonly width: number
  /** Colours a text for stdout, where colour is welcome. */
  readonly paint: Paint
  /**
   * Prints a result on stdout: the lines, or with `--json` the record as one line of JSON. Await it: it waits for a slow reader.
   *
   * @param record  what a program reads: names as on the wire where it comes from there, and no secret unless it was asked for
   * @param lines  what a person reads, without the last line break
   */
  print(record: object, lines: string): Promise<void>
  /** Prints text as it is on stdout, `--json` or not: a completion script, a report in a format that was asked for. */
  printRaw(text: string): Promise<void>
  /** Tells a person what happens or what to do next, on stderr. With `--json`, nothing. */
  tell(text: string): void
  /** Warns of something that may surprise, on stderr, `--json` or not. */
  warn(text: string): void
}

/** The output of one run. */
export function createOutput(
  screen: Screen,
  {
    json,
    coloured,
  }: { readonly json: boolean; readonly coloured: { readonly stdout: boolean; readonly stderr: boolean } },
): Output {
  const paint = painter(coloured.stdout && !json)
  const paintAside = painter(coloured.stderr)
  const asideWidth = widthOf(screen.stderr)
  return {
    json,
    width: widthOf(screen.stdout),
    paint,
    print: (record, lines) => screen.print(`${json ? JSON.stringify(record) : lines}\n`),
    printRaw: (text) => screen.print(text),
    tell: (text) => {
      if (!json) screen.complain(`${wrap(text, asideWidth)}\n`)
    },
    warn: (text) =>
      screen.complain(`${paintAside('yellow', 'warning')}  ${wrap(text, asideWidth, ' '.repeat(9)).trimStart()}\n`),
  }
}

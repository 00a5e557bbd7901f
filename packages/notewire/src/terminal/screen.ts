import type { SingleBar } from 'cli-progress'
import { unmarked } from './colour.ts'
import { ReaderGone, untilAborted } from './interruption.ts'
import { withSpaces } from './shell-quoted.ts'
import { printable } from './width.ts'

/**
 * Both output streams of the program. Everything is printed here, and is made printable here: whatever a line contains, a terminal executes
 * only the colours of the program. A progress bar on stderr is removed before other text is written.
 */
export class Screen {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly #signal: AbortSignal
  /** The bar that is shown. */
  bar: SingleBar | undefined

  constructor(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream, signal: AbortSignal) {
    this.stdout = stdout
    this.stderr = stderr
    this.#signal = signal
  }

  /** Writes lines to stdout, and waits until they are written. If writing fails, the signal fires. */
  async writeOut(lines: readonly string[]): Promise<void> {
    if (this.#signal.reason instanceof ReaderGone) return
    this.bar?.stop()
    const written = new Promise<void>((resolve) => {
      this.stdout.write(printableLines(lines), () => resolve())
    })
    // If the program that reads stdout stops reading, Ctrl-C must still end this program.
    await Promise.race([written, untilAborted(this.#signal)])
  }

  writeError(lines: readonly string[]): void {
    this.bar?.stop()
    this.stderr.write(printableLines(lines))
  }
}

function printableLines(lines: readonly string[]): string {
  return lines.map((line) => `${shownText(line)}\n`).join('')
}

/** A text as the terminal gets it. */
export function shownText(text: string): string {
  return withSpaces(unmarked(printable(text)))
}

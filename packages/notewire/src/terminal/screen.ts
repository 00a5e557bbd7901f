import type { SingleBar } from 'cli-progress'
import { ReaderGone, untilAborted } from './interruption.ts'

/** Both output streams of the program. A progress bar on stderr is removed before other text is written. */
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

  /** Writes to stdout, and waits until the text is written. If writing fails, the signal fires. */
  async writeOut(text: string): Promise<void> {
    if (this.#signal.reason instanceof ReaderGone) return
    this.bar?.stop()
    const written = new Promise<void>((resolve) => {
      this.stdout.write(text, () => resolve())
    })
    // If the program that reads stdout stops reading, Ctrl-C must still end this program.
    await Promise.race([written, untilAborted(this.#signal)])
  }

  writeError(text: string): void {
    this.bar?.stop()
    this.stderr.write(text)
  }
}

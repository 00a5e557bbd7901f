import { ReaderGone, untilAborted } from './interruption.ts'

const CLEAR_LINE = '\r\u001b[2K'

/** Both output streams of the program, and the progress line on stderr. Other text appears above that line. */
export class Screen {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly #signal: AbortSignal
  #progress = ''

  constructor(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream, signal: AbortSignal) {
    this.stdout = stdout
    this.stderr = stderr
    this.#signal = signal
  }

  /** Writes to stdout, and waits until the text is written. If writing fails, the signal fires. */
  async writeOut(text: string): Promise<void> {
    if (this.#signal.reason instanceof ReaderGone) return
    if (this.stdout.isTTY === true) this.#clear()
    const written = new Promise<void>((resolve) => {
      this.stdout.write(text, () => resolve())
    })
    this.#redraw()
    // If the program that reads stdout stops reading, Ctrl-C must still end this program.
    await Promise.race([written, untilAborted(this.#signal)])
  }

  writeError(text: string): void {
    this.#clear()
    this.stderr.write(text)
    this.#redraw()
  }

  /** Shows the progress line; an empty text removes it. Only for terminals. */
  showProgress(progress: string): void {
    this.#clear()
    this.#progress = progress
    this.#redraw()
  }

  #clear(): void {
    if (this.#progress !== '') this.stderr.write(CLEAR_LINE)
  }

  #redraw(): void {
    if (this.#progress !== '') this.stderr.write(CLEAR_LINE + this.#progress)
  }
}

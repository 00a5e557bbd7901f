import { ReaderGone, untilAborted } from './interruption.ts'

const CLEAR_LINE = '\r\u001b[2K'

/** Both streams of the program, and the progress line on stderr. Text that is printed appears above that line. */
export class Screen {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly #signal: AbortSignal
  #status = ''

  constructor(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream, signal: AbortSignal) {
    this.stdout = stdout
    this.stderr = stderr
    this.#signal = signal
  }

  /** Writes to stdout, and waits until the text is written. If writing fails, the signal fires. */
  async print(text: string): Promise<void> {
    if (this.#signal.reason instanceof ReaderGone) return
    if (this.stdout.isTTY === true) this.#clear()
    const written = new Promise<void>((resolve) => {
      this.stdout.write(text, () => resolve())
    })
    this.#redraw()
    // If the reader of stdout does not read, Ctrl-C must still end the program.
    await Promise.race([written, untilAborted(this.#signal)])
  }

  complain(text: string): void {
    this.#clear()
    this.stderr.write(text)
    this.#redraw()
  }

  /** Shows the progress line; an empty text removes it. Only for terminals. */
  show(status: string): void {
    this.#clear()
    this.#status = status
    this.#redraw()
  }

  #clear(): void {
    if (this.#status !== '') this.stderr.write(CLEAR_LINE)
  }

  #redraw(): void {
    if (this.#status !== '') this.stderr.write(CLEAR_LINE + this.#status)
  }
}

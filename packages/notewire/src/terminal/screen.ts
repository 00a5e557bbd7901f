import { ReaderGone, untilAborted } from '../interruption.ts'

const CLEAR_LINE = '\r\u001b[2K'

/**
 * Both streams of the program, and the one line of stderr that changes while it works. What is printed goes above that
 * line instead of through it.
 */
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

  /** Writes to stdout, and waits until that is done. What goes wrong with it makes the signal fire. */
  async print(text: string): Promise<void> {
    if (this.#signal.reason instanceof ReaderGone) return
    if (this.stdout.isTTY === true) this.#clear()
    const written = new Promise<void>((resolve) => {
      this.stdout.write(text, () => resolve())
    })
    this.#redraw()
    // A reader that has stopped reading must not keep Ctrl-C waiting.
    await Promise.race([written, untilAborted(this.#signal)])
  }

  /** Writes to stderr. */
  complain(text: string): void {
    this.#clear()
    this.stderr.write(text)
    this.#redraw()
  }

  /** Shows the line that changes; an empty one takes it away. On a terminal alone. */
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

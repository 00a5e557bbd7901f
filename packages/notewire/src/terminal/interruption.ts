import { once } from 'node:events'

/** The signals that end the program. */
export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

export class Interrupted extends Error {
  readonly by: EndingSignal

  constructor(by: EndingSignal) {
    super(by)
    this.by = by
  }
}

/** The codes of a write to a pipe that its reader has closed. Windows has its own. */
const READER_GONE: readonly unknown[] = ['EPIPE', 'EOF']

/** The reason of the signal if the program that reads stdout closes it: `notewire … | head`. */
export class ReaderGone extends Error {}

export interface Interruption {
  readonly signal: AbortSignal
  /** Ends the program as Ctrl-C does. */
  readonly interrupt: () => void
  readonly ignore: () => void
}

/**
 * Listens for Ctrl-C, SIGTERM, the closing of the terminal (SIGHUP) and of stdout. The second Ctrl-C or SIGTERM ends the process immediately.
 */
export function listenForInterruption(process: NodeJS.Process, exit: (signal: EndingSignal) => void): Interruption {
  const controller = new AbortController()
  const end = (signal: EndingSignal) => {
    if (controller.signal.reason instanceof Interrupted) exit(signal)
    else controller.abort(new Interrupted(signal))
  }
  const interrupt = () => end('SIGINT')
  const terminate = () => end('SIGTERM')
  // After stdout is closed, every write fails, so the listener stays.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    controller.abort(READER_GONE.includes(error.code) ? new ReaderGone() : error)
  })
  // A terminal that was closed answers every use of it with an error.
  process.stderr.on('error', () => undefined)
  process.stdin.on('error', () => undefined)
  // Both the system and the shell send SIGHUP, so the second one does not end the process.
  const hangUp = () => controller.abort(new Interrupted('SIGHUP'))
  process.on('SIGINT', interrupt).on('SIGTERM', terminate).on('SIGHUP', hangUp)
  return {
    signal: controller.signal,
    interrupt,
    ignore: () => void process.off('SIGINT', interrupt).off('SIGTERM', terminate).off('SIGHUP', hangUp),
  }
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

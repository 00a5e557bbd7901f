/** Somebody wants the program to end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'

  constructor() {
    super('the program was interrupted')
  }
}

/** Whoever read stdout has had enough: `notewire … | head`. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone'

  constructor() {
    super('nobody reads stdout any more')
  }
}

/** What tells a run to stop. */
export interface Interruption {
  readonly signal: AbortSignal
  /** What Ctrl-C does. */
  readonly interrupt: () => void
  /** Leaves signals to the process again. */
  readonly ignore: () => void
}

/**
 * Listens for Ctrl-C, for SIGTERM and for the end of whoever reads stdout. The second Ctrl-C ends the process at once.
 *
 * @param endAtOnce  is called at the second signal
 */
export function listenForInterruption(process: NodeJS.Process, endAtOnce: () => void): Interruption {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.reason instanceof Interrupted) endAtOnce()
    else controller.abort(new Interrupted())
  }
  // Without a reader, every write fails again: the listeners stay.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    controller.abort(error.code === 'EPIPE' ? new ReaderGone() : error)
  })
  process.stderr.on('error', () => undefined)
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  return {
    signal: controller.signal,
    interrupt,
    ignore: () => void process.off('SIGINT', interrupt).off('SIGTERM', interrupt),
  }
}

/** Waits until somebody wants the program to end: what runs until then ends well. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

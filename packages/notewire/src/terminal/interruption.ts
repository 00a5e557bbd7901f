import { once } from 'node:events'

export class Interrupted extends Error {}

/** The reason of the signal if the program that reads stdout closes it: `notewire … | head`. */
export class ReaderGone extends Error {}

export interface Interruption {
  readonly signal: AbortSignal
  readonly interrupt: () => void
  readonly ignore: () => void
}

/** Listens for Ctrl-C, SIGTERM, the closing of the terminal (SIGHUP) and of stdout. The second Ctrl-C ends the process immediately. */
export function listenForInterruption(process: NodeJS.Process, exit: () => void): Interruption {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.reason instanceof Interrupted) exit()
    else controller.abort(new Interrupted())
  }
  // After stdout is closed, every write fails, so the listener stays.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    controller.abort(error.code === 'EPIPE' ? new ReaderGone() : error)
  })
  // A terminal that was closed answers every use of it with an error.
  process.stderr.on('error', () => undefined)
  process.stdin.on('error', () => undefined)
  // Both the system and the shell send SIGHUP, so the second one does not end the process.
  const hangUp = () => controller.abort(new Interrupted())
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt).on('SIGHUP', hangUp)
  return {
    signal: controller.signal,
    interrupt,
    ignore: () => void process.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('SIGHUP', hangUp),
  }
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

import { NotewireError } from '@notewire/protocol'

/** A captured delivery cannot be read. The message says what is wrong with it, and never contains a part of it. */
export class CaptureError extends NotewireError<'capture_unreadable'> {
  /** @param problem  a sentence without its subject: "is empty. Pass …" */
  constructor(problem: string) {
    super('capture_unreadable', `the captured delivery ${problem}`)
  }
}

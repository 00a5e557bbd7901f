import { NotewireError } from '@notewire/protocol'

/** A captured request that cannot be read. The message tells what is wrong with it, and never what is in it. */
export class CaptureError extends NotewireError<'capture_unreadable'> {
  /** @param problem  a sentence without its subject: "holds no curl command. Paste …" */
  constructor(problem: string) {
    super('capture_unreadable', `the captured request ${problem}`)
  }
}

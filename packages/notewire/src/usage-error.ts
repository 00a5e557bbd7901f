import { NotewireError } from '@notewire/protocol'

/** The command was typed wrong: shown with the way to its help, and ends the program with 2. */
export class UsageError extends NotewireError<'usage'> {
  constructor(message: string) {
    super('usage', message)
  }
}

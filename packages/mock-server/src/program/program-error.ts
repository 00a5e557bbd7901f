/** How the program ends. */
export const EXIT_CODES = {
  /** It did what it was asked to, and was stopped. */
  done: 0,
  /** The machine refused: the port is taken, a file cannot be read. */
  refused: 1,
  /** What was asked for cannot be: an argument, or the scenario. */
  misused: 2,
} as const

/** A number that the program ends with. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

/** Why the program does not start, in the words of whoever typed the command. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError'
  readonly exitCode: ExitCode

  constructor(ending: Exclude<keyof typeof EXIT_CODES, 'done'>, message: string) {
    super(message)
    this.exitCode = EXIT_CODES[ending]
  }
}

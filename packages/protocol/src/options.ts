import { NotewireError } from './notewire-error.ts'

/** An option that cannot work was given: refused where the object is made, before anything happens. */
export class OptionError extends NotewireError<'option_invalid'> {
  /** The option's name. */
  readonly option: string

  constructor(option: string, message: string) {
    super('option_invalid', message)
    this.option = option
  }
}

/**
 * Refuses options that nobody knows, since a misspelt option is one that silently does nothing.
 *
 * @throws {@link OptionError} naming the option and the ones that exist
 */
export function refuseUnknownOptions(maker: string, options: object, known: readonly string[]): void {
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) {
      throw new OptionError(option, `${maker} has no option "${option}". It takes: ${known.join(', ')}.`)
    }
  }
}

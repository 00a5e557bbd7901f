/**
 * The root of every error that Notewire throws. The message says what happened, why, and what to do next; `code` is
 * stable and made for programs. Neither ever contains a key, a secret or note content.
 *
 * @example
 * ```ts
 * import { NotewireError } from '@notewire/protocol'
 *
 * try {
 *   throw new NotewireError('option_invalid', 'the port is taken. Choose another one.')
 * } catch (error) {
 *   if (error instanceof NotewireError) console.error(error.code)
 * }
 * ```
 */
export class NotewireError<Code extends string = string> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = `NotewireError [${code}]`
    this.code = code
  }
}

/** A value that the service sent does not match the contract. */
export class ShapeError extends NotewireError<'shape_invalid'> {
  /** The path of the first problem: `data.note_id`, `notes[3].revision`. Empty if it is the whole value. */
  readonly path: string

  constructor(path: string, message: string) {
    super('shape_invalid', message)
    this.path = path
  }
}

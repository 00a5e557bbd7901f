import { keyIdOf } from './identifier.ts'

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

/** A name or a code: one short word. Longer text could quote a note, a row or a key. */
const SHORT_WORD = /^[\w$.:-]{1,64}$/

/** Returns a name, a code or an id that others sent or threw, if it may be shown: one short word that is no API key. */
export function shortWord(value: unknown): string | undefined {
  if (typeof value !== 'string' || !SHORT_WORD.test(value)) return undefined
  return keyIdOf(value) === undefined ? value : undefined
}

/** What may be logged or stored of a thrown value. Its message is left out, because it may quote a note. */
export interface ErrorFacts {
  /** `Error` if the name is no short word. */
  readonly name: string
  readonly code: string | null
}

/**
 * Returns the name and the code of a thrown value, if they are short words. Its message is left out, because it may quote a note, a row or a
 * key. Never throws, whatever was thrown.
 */
export function errorFactsOf(thrown: unknown): ErrorFacts {
  try {
    const { name, code }: { readonly name?: unknown; readonly code?: unknown } = Object(thrown)
    return { name: shortWord(name) ?? 'Error', code: shortWord(typeof code === 'number' ? `${code}` : code) ?? null }
  } catch {
    // Getters and Proxies can throw when they are read.
    return { name: 'Error', code: null }
  }
}

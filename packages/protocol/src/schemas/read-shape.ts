import { OptionError, ShapeError } from '@notewire/protocol'
import type * as z from 'zod/mini'

/**
 * Reads a value of the wire by its schema.
 *
 * @param what  names the value in the error: `the note`
 * @param at  where the value is, if it is a part of a body: `notes`. It precedes the path in the error
 * @throws `OptionError` if `schema` is no schema
 * @throws {@link ShapeError} with the path of the first problem and what should be there, never with the value found there
 * @example
 * ```ts
 * import { noteSchema, readShape } from '@notewire/protocol/schemas'
 *
 * const note = readShape(noteSchema, JSON.parse('{ "note_id": "note_1", "revision": 1 }'), 'the note')
 * console.log(note.revision)
 * ```
 */
export function readShape<Shape>(schema: z.ZodMiniType<Shape>, value: unknown, what: string, at = ''): Shape {
  requireSchema('readShape', schema)
  const result = schema.safeParse(value, IN_WORDS)
  if (result.success) return result.data
  const [{ path, expected } = { path: at, expected: 'something else' }] = problemsIn(result.error, at)
  const subject = path === '' ? 'it' : `"${path}"`
  throw new ShapeError(path, `${what} does not match the contract: ${subject} should be ${expected}.`)
}

/** A place where a value does not match its schema. */
export interface Problem {
  readonly path: string
  readonly keys: readonly PropertyKey[]
  /** What should be there, in words. */
  readonly expected: string
}

/** @param error  of a `safeParse` with {@link IN_WORDS} */
export function problemsIn(error: z.core.$ZodError, at = ''): readonly Problem[] {
  return error.issues.map(({ path: keys, message: expected }) => ({ path: pathOf(keys, at), keys, expected }))
}

/** Makes the message of an issue say what should be there: in the words of the schema, or else by the name of the type. */
export const IN_WORDS: z.core.ParseContext<z.core.$ZodIssue> = {
  error: (issue) => (issue.code === 'invalid_type' ? issue.expected : 'something else'),
}

function pathOf(keys: readonly PropertyKey[], at: string): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`
    return path === '' ? String(key) : `${path}.${String(key)}`
  }, at)
}

/** @throws {@link OptionError} if the argument is no schema of zod */
export function requireSchema(caller: string, schema: unknown): void {
  if (Object(schema)._zod !== undefined) return
  throw new OptionError('schema', `${caller} needs a schema of zod, such as noteSchema of @notewire/protocol/schemas.`)
}

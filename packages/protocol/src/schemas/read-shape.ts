import { OptionError, ShapeError } from '@notewire/protocol'
import type * as z from 'zod/mini'

/**
 * Reads a value that the service sent by its schema.
 *
 * @param what  the name of the value in the error: `the note`
 * @param at  the path of the value in the body, if it is a part of a body: `notes`. It precedes the path in the error
 * @throws `OptionError` if `schema` is not a zod schema
 * @throws {@link ShapeError} with the path of the first problem and the expected type, never with the value
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
  const result = schema.safeParse(value, EXPECTED_AS_MESSAGE)
  if (result.success) return result.data
  const [{ path, expected } = { path: at, expected: 'something else' }] = problemsIn(result.error, at)
  const subject = path === '' ? 'it' : `"${path}"`
  throw new ShapeError(path, `${what} does not match the contract: ${subject} should be ${expected}.`)
}

/** A part of a value that does not match the schema. */
export interface Problem {
  readonly path: string
  readonly keys: readonly PropertyKey[]
  /** The type or form that the schema requires, in words. */
  readonly expected: string
}

/** @param error  from a `safeParse` with {@link EXPECTED_AS_MESSAGE} */
export function problemsIn(error: z.core.$ZodError, at = ''): readonly Problem[] {
  return error.issues.map(({ path: keys, message: expected }) => ({ path: pathOf(keys, at), keys, expected }))
}

/** Makes the message of an issue the expected form: the words of the schema if it has any, else the name of the type. */
export const EXPECTED_AS_MESSAGE: z.core.ParseContext<z.core.$ZodIssue> = {
  error: (issue) => (issue.code === 'invalid_type' ? issue.expected : 'something else'),
}

function pathOf(keys: readonly PropertyKey[], at: string): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`
    return path === '' ? String(key) : `${path}.${String(key)}`
  }, at)
}

/** @throws {@link OptionError} if the argument is not a zod schema */
export function requireSchema(caller: string, schema: unknown): void {
  if (Object(schema)._zod !== undefined) return
  throw new OptionError('schema', `${caller} needs a schema of zod, such as noteSchema of @notewire/protocol/schemas.`)
}

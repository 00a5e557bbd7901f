import { ShapeError } from '../shape-error.ts'
import type { Check } from './check.ts'

/**
 * Takes a value of the wire for what it passes the check of. It is the same object, with all its fields: unknown ones
 * pass through.
 *
 * @param what  names the value in the error: `the note`
 * @throws {@link ShapeError} naming the path of the first problem, and never the value found there
 */
export function readShape<Shape>(check: Check, value: unknown, what: string): Shape {
  const problem = check(value, '')
  // The check has just said so; `reading-and-schemas.test.ts` holds each against its type and its schema.
  if (problem === undefined) return value as Shape
  const { path, expected } = problem
  const subject = path === '' ? 'it' : `"${path}"`
  throw new ShapeError(path, `${what} is not as the contract says: ${subject} should be ${expected}.`)
}

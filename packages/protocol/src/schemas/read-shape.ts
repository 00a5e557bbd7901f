import { type Drift, OptionError, ShapeError } from '@notewire/protocol'
import type * as z from 'zod/mini'
import { $ZodType } from 'zod/v4/core'
import { dropUndefinedInItems, withFewItems } from './long-arrays.ts'
import { contractOf } from './tolerated.ts'
import { runSchema } from './zod-internals.ts'

/**
 * Reads a value that the service sent by its schema. An optional field of another type is left out (open point 39).
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
  const reading = readShapeWithDrift(schema, value, what, at)
  if (reading.status === 'refused') throw reading.error
  return reading.value
}

/**
 * What {@link readShapeWithDrift} found: the value, or why it cannot be used, and where the value differs from the contract. `error` and `drift`
 * are made when they are read first, because a list may contain any number of values that cannot be used.
 */
export type ShapeReading<Shape> = { readonly drift: readonly Drift[] } & (
  | { readonly status: 'read'; readonly value: Shape }
  | { readonly status: 'refused'; readonly error: ShapeError }
)

/**
 * Reads a value as {@link readShape} does, and reports where it differs from the contract. The paths of the drift begin at the value.
 *
 * @throws `OptionError` if `schema` is not a zod schema
 */
export function readShapeWithDrift<Shape>(
  schema: z.ZodMiniType<Shape>,
  value: unknown,
  what: string,
  at = '',
): ShapeReading<Shape> {
  requireSchema('readShape', schema)
  const contract = contractOf(schema)
  const exact = runSchema(contract, value, FIRST_PROBLEM)
  if (exact.issues.length === 0) return { status: 'read', value: exact.value, drift: [] }
  const read = runSchema(schema, value, FIRST_PROBLEM)
  const drift = once(() => driftIn(contract, withFewItems(value), value))
  if (read.issues.length > 0) {
    const error = once(() => refusalOf(schema, value, what, at))
    return {
      status: 'refused',
      get error() {
        return error()
      },
      get drift() {
        return drift()
      },
    }
  }
  const fewItems = withFewItems(value)
  for (const { path = [] } of runSchema(contract, fewItems, ALL_PROBLEMS).issues) dropUndefinedAt(read.value, path)
  if (fewItems !== value) dropUndefinedInItems(read.value)
  return {
    status: 'read',
    value: read.value,
    get drift() {
      return drift()
    },
  }
}

/** A function that computes a value when it is called first. */
function once<Value>(compute: () => Value): () => Value {
  let computed: { readonly value: Value } | undefined
  return () => {
    computed ??= { value: compute() }
    return computed.value
  }
}

/** @param fewItems  the value without most items of long arrays. If only those do not match, the first of them is described. */
function driftIn(contract: z.ZodMiniType, fewItems: unknown, value: unknown): readonly Drift[] {
  const problems = problemsOf(contract, fewItems)
  const found = problems.length > 0 ? problems : problemsOf(contract, value, { isFirstEnough: true })
  return found.map((problem) => driftAt(problem, value))
}

function refusalOf(schema: z.ZodMiniType, value: unknown, what: string, at: string): ShapeError {
  const [problem] = problemsOf(schema, value, { at, isFirstEnough: true })
  const { path = at, expected = 'something else' } = problem ?? {}
  const subject = path === '' ? 'it' : `"${path}"`
  return new ShapeError(path, `${what} does not match the contract: ${subject} should be ${expected}.`)
}

/** Removes the outermost field on a path that the tolerant schema has set to `undefined`. */
function dropUndefinedAt(value: unknown, [key, ...rest]: readonly PropertyKey[]): void {
  if (typeof value !== 'object' || value === null || key === undefined) return
  const field: unknown = Reflect.get(value, key)
  if (field === undefined) Reflect.deleteProperty(value, key)
  else dropUndefinedAt(field, rest)
}

/** Describes a problem by the types at its path, without the value. */
export function driftAt({ path, keys, expected }: Problem, value: unknown): Drift {
  const found = keys.reduce<unknown>((part, key) => Object(part)[key], value)
  return { path, expected, found: typeOf(found) }
}

function typeOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** A part of a value that does not match the schema. */
export interface Problem {
  readonly path: string
  readonly keys: readonly PropertyKey[]
  /** The type or form that the schema requires, in words. */
  readonly expected: string
}

/** Makes the message of an issue the expected form: the words of the schema if it has any, else the name of the type. */
const EXPECTED_AS_MESSAGE: z.core.ParseContext<z.core.$ZodIssue> = {
  error: (issue) => (issue.code === 'invalid_type' ? issue.expected : 'something else'),
}

const ALL_PROBLEMS = { async: false } as const

/** Ends at the first problem, so that a value with a million problems takes neither their time nor their memory. */
const FIRST_PROBLEM = { ...ALL_PROBLEMS, abortEarly: true } as const

/** Describes what does not match: everything, or the first problem. */
export function problemsOf(
  schema: z.ZodMiniType,
  value: unknown,
  { at = '', isFirstEnough = false } = {},
): readonly Problem[] {
  const context = isFirstEnough ? { ...EXPECTED_AS_MESSAGE, abortEarly: true } : EXPECTED_AS_MESSAGE
  const issues = schema.safeParse(value, context).error?.issues ?? []
  return issues.map(({ path: keys, message: expected }) => ({ path: pathOf(keys, at), keys, expected }))
}

function pathOf(keys: readonly PropertyKey[], at: string): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`
    return path === '' ? String(key) : `${path}.${String(key)}`
  }, at)
}

/** @throws {@link OptionError} if the argument is not a zod schema */
export function requireSchema(caller: string, schema: unknown): void {
  if (schema instanceof $ZodType) return
  throw new OptionError('schema', `${caller} needs a schema of zod, such as noteSchema of @notewire/protocol/schemas.`)
}

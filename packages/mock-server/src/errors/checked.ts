import * as z from 'zod/mini'
import { MockServerError, type Refusal } from './mock-server-error.ts'

/**
 * Checks a value that a caller, a file or a request gave.
 *
 * @param subject  the function, file or request that got the value, for the error: `createNotesService`
 * @returns the value, with the defaults of the schema
 * @throws {@link MockServerError} `option_invalid` about the first field that is wrong
 */
export function checked<Schema extends z.ZodMiniType>(
  subject: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: expectation })
  if (result.success) return result.data
  const { path, issue } = innermost(result.error.issues, [])
  const option = nameOf(issue?.code === 'unrecognized_keys' ? [...path, issue.keys[0] ?? ''] : path)
  const { problem, remedy } = refusalOf(subject, issue, path, value)
  throw new MockServerError('option_invalid', problem, remedy, option)
}

/** An object that has these fields and no others. An error about another field names the fields that exist. */
export function fields<Shape extends z.core.$ZodShape>(shape: Shape) {
  const error: z.core.$ZodErrorMap<z.core.$ZodIssueInvalidType | z.core.$ZodIssueUnrecognizedKeys> = (issue) =>
    issue.code === 'unrecognized_keys' ? suggestion(issue.keys[0] ?? '', Object.keys(shape)) : undefined
  return z.strictObject(shape, { error })
}

export const name = z.string().check(z.minLength(1))

export const count = z.int().check(z.minimum(1))

type Path = readonly PropertyKey[]

/** The first issue. In a union, it is the first one of the alternative with the fewest issues. */
function innermost(
  [issue]: readonly z.core.$ZodIssue[],
  outer: Path,
): { readonly path: Path; readonly issue: z.core.$ZodIssue | undefined } {
  const path = [...outer, ...(issue?.path ?? [])]
  if (issue?.code !== 'invalid_union' || issue.message !== '') return { path, issue }
  const nearest = issue.errors.toSorted((one, other) => one.length - other.length)[0]
  return nearest === undefined ? { path, issue } : innermost(nearest, path)
}

function refusalOf(subject: string, issue: z.core.$ZodIssue | undefined, path: Path, value: unknown): Refusal {
  const place = path.length === 0 ? subject : `"${nameOf(path)}"`
  const expected = issue?.message ?? ''
  if (issue?.code === 'unrecognized_keys') {
    return { problem: `${place} has no option "${issue.keys[0]}"`, remedy: expected }
  }
  if (path.length === 0) return { problem: `${subject} got a wrong value`, remedy: `Pass ${expected}.` }
  const wrong = path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown> | undefined)?.[key], value)
  return wrong === undefined
    ? { problem: `${place} is missing`, remedy: `It must be ${expected}.` }
    : { problem: `${place} has a wrong value`, remedy: `It must be ${expected}.` }
}

/** `faults[0].calls` for `['faults', 0, 'calls']`. */
function nameOf(path: Path): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  function: 'a function',
}

function expectation(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_NAMES[issue.expected] ?? issue.expected
    case 'invalid_value':
      return alternatives(issue.values)
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options) ? alternatives(issue.options) : ''
    case 'too_small':
      if (issue.origin === 'string') return 'a text that is not empty'
      return issue.origin === 'array' ? `a list of at least ${issue.minimum}` : `a number from ${issue.minimum}`
    case 'too_big':
      return `a number up to ${issue.maximum}`
    default:
      return 'another value'
  }
}

function alternatives(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(' or ')
}

function suggestion(given: string, known: readonly string[]): string {
  const meant = known.find((each) => resembles(given, each))
  return `${meant === undefined ? '' : `Did you mean "${meant}"? `}It takes: ${known.join(', ')}.`
}

/** Whether one name contains the other. Case and `_` are ignored: `noteCount` and `note`, `url_policy` and `urlPolicy`. */
function resembles(given: string, known: string): boolean {
  const [one, other] = [given, known].map((each) => each.replaceAll('_', '').toLowerCase())
  if (one === undefined || other === undefined || one.length < 3 || other.length < 3) return false
  return one.includes(other) || other.includes(one)
}

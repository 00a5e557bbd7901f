/** What is wrong with a value, and where. Never the value itself: it may be a note's content. */
interface Problem {
  readonly path: string
  /** What should be there, in words. */
  readonly expected: string
}

/** Looks at a value of the wire and says what is wrong with it, or nothing. */
export type Check = (value: unknown, path: string) => Problem | undefined

export const text: Check = (value, path) => (typeof value === 'string' ? undefined : { path, expected: 'string' })

export const number: Check = (value, path) => (Number.isFinite(value) ? undefined : { path, expected: 'number' })

/** A text that something is known by. */
export const identifier: Check = (value, path) =>
  value === '' ? { path, expected: 'a string that is not empty' } : text(value, path)

/** A whole number from 0, small enough to compare exactly (contract §2). */
export const revision: Check = (value, path) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : { path, expected: 'a whole number from 0' }

/** What may be absent, or `null`. */
export function optional(check: Check): Check {
  return (value, path) => (value === undefined || value === null ? undefined : check(value, path))
}

/** A list of values that all pass the same check. */
export function list(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return { path, expected: 'array' }
    return firstProblem(value.keys(), (index) => check(value[index], `${path}[${index}]`))
  }
}

/** An object with these fields, and any others. */
export function record(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(fields)
  return (value, path) => {
    if (!isRecord(value)) return { path, expected: 'object' }
    return firstProblem(checks, ([name, check]) => check(value[name], path === '' ? name : `${path}.${name}`))
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function firstProblem<Item>(items: Iterable<Item>, look: (item: Item) => Problem | undefined): Problem | undefined {
  for (const item of items) {
    const problem = look(item)
    if (problem !== undefined) return problem
  }
  return undefined
}

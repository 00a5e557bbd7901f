/** What is wrong with a part of a scenario, and where. */
interface Fault {
  readonly path: string
  /** What belongs there, in words. */
  readonly expected: string
}

/** Looks at a part of a scenario and says what is wrong with it, or nothing. */
export type Form = (value: unknown, path: string) => Fault | undefined

/** A value that passes a test. `expected` says what it is, in words: `a text`. */
export function value(expected: string, test: (value: unknown) => boolean): Form {
  return (given, path) => (test(given) ? undefined : { path, expected })
}

export const text = value('a text', (given) => typeof given === 'string')

/** A text that something is known by. */
export const name = value('a text that is not empty', (given) => typeof given === 'string' && given !== '')

/** One of a few texts. */
export function oneOf(choices: readonly string[]): Form {
  return value(`one of ${choices.map((choice) => `"${choice}"`).join(', ')}`, (given) =>
    choices.includes(given as string),
  )
}

/** A list whose items all have the same form. */
export function list(item: Form, least = 0): Form {
  return (given, path) => {
    if (!Array.isArray(given)) return { path, expected: 'a list' }
    if (given.length < least) return { path, expected: `a list of at least ${least}` }
    return first(given.keys(), (index) => item(given[index], `${path}[${index}]`))
  }
}

/** What an object has: every one of the required fields, any of the optional ones, and no other. */
export function object(required: Readonly<Record<string, Form>>, optional: Readonly<Record<string, Form>> = {}): Form {
  const forms = { ...required, ...optional }
  return (given, path) => {
    if (!isObject(given)) return { path, expected: 'an object' }
    const at = (field: string) => (path === '' ? field : `${path}.${field}`)
    return (
      first(Object.keys(given), (field) =>
        Object.hasOwn(forms, field)
          ? undefined
          : { path: at(field), expected: `left out: known here are ${Object.keys(forms).join(', ')}` },
      ) ??
      first(Object.entries(forms), ([field, form]) =>
        given[field] === undefined && !Object.hasOwn(required, field) ? undefined : form(given[field], at(field)),
      )
    )
  }
}

export function isObject(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}

function first<Item>(items: Iterable<Item>, look: (item: Item) => Fault | undefined): Fault | undefined {
  for (const item of items) {
    const fault = look(item)
    if (fault !== undefined) return fault
  }
  return undefined
}

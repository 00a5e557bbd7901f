/** The number of items of an array in which problems are looked for one by one. */
const MANY_ITEMS = 1_000

/**
 * An object with at most the first thousand items of each of its arrays, to describe what is wrong with them: a transcript may have a million
 * segments.
 */
export function withFewItems(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.values(value).some(isLong)) return value
  const fields = Object.entries(value)
  return Object.fromEntries(fields.map(([name, field]) => [name, isLong(field) ? field.slice(0, MANY_ITEMS) : field]))
}

/** Removes the fields that are `undefined` from the items of long arrays, whose problems {@link withFewItems} hides. */
export function dropUndefinedInItems(value: unknown): void {
  const items = Object.values(Object(value))
    .filter(isLong)
    .flatMap((array) => array.slice(MANY_ITEMS))
  for (const item of items) if (typeof item === 'object' && item !== null) dropUndefined(item)
}

function dropUndefined(fields: object): void {
  for (const name of Object.keys(fields)) {
    if (Reflect.get(fields, name) === undefined) Reflect.deleteProperty(fields, name)
  }
}

function isLong(field: unknown): field is readonly unknown[] {
  return Array.isArray(field) && field.length > MANY_ITEMS
}

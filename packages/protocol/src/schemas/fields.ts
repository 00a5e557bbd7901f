import { isIdentifier, MAX_IDENTIFIER_LENGTH, type OpenEnum } from '@notewire/protocol'
import * as z from 'zod/mini'

// A bundler removes an unused schema only if creating it has no side effects. zod marks its own functions as free of side effects
// (`@__NO_SIDE_EFFECTS__`). This folder marks its own functions in the same way, and calls of methods with `@__PURE__`.

// JavaScript rounds a greater number, so two revisions could look equal.
const A_REVISION = `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`
export const NOT_EMPTY = 'a string that is not empty'
export const AN_IDENTIFIER = `a string of 1 to ${MAX_IDENTIFIER_LENGTH} UTF-16 code units, well-formed and without NUL`

/** A revision: a whole number from 0, small enough to compare exactly (contract §2). */
export const revision = /* @__PURE__ */ z.int(A_REVISION).check(z.gte(0, A_REVISION))

/** The identifier of a resource. */
export const identifier = /* @__PURE__ */ z.string().check(z.minLength(1, NOT_EMPTY))

/** An identifier in an event. Stores must be able to keep it: see {@link isIdentifier}. */
export const eventIdentifier = /* @__PURE__ */ z.string().check(z.refine(isIdentifier, AN_IDENTIFIER))

/**
 * The schema of a resource whose identifier is `name`. Some services call it `id` (open points 2 and 13): `id` is copied to `name`.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function identifiedBy<Schema extends z.ZodMiniType>(name: string, schema: Schema) {
  const copyId = (resource: unknown) => {
    if (typeof resource !== 'object' || resource === null || Array.isArray(resource)) return resource
    return name in resource || !('id' in resource) ? resource : { ...resource, [name]: resource.id }
  }
  return z.pipe(z.transform(copyId), schema)
}

/** A string that may be absent or `null`. */
export const text = z.nullish(z.string())

/**
 * Adds or replaces fields. A function, because a bundler treats a spread outside a function as a side effect.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function extended<Fields extends object, More extends object>(
  fields: Fields,
  more: More,
): Omit<Fields, keyof More> & More {
  return { ...fields, ...more }
}

const KNOWN_VALUES = new WeakMap<z.core.$ZodType, readonly string[]>()

/**
 * Any string, because the service may add values to the known ones (contract §2, §6).
 *
 * @__NO_SIDE_EFFECTS__
 */
export function openEnum<const Known extends string>(known: readonly Known[]): z.ZodMiniType<OpenEnum<Known>> {
  const schema = z.string()
  KNOWN_VALUES.set(schema, known)
  return schema
}

/** @returns `undefined` if the schema was not created by {@link openEnum} */
export function knownValuesOf(schema: z.core.$ZodType): readonly string[] | undefined {
  return KNOWN_VALUES.get(schema)
}

export const transcriptStatus = z.nullish(openEnum(['pending', 'ready', 'empty', 'failed']))
export const summaryStatus = z.nullish(openEnum(['pending', 'ready', 'missing', 'failed']))

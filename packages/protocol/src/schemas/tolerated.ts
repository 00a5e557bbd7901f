import * as z from 'zod/mini'
import { caught } from './zod-internals.ts'

type Tolerated<Schema extends z.ZodMiniType> = z.ZodMiniCatch<z.ZodMiniOptional<Schema>>

/** What to do with the schema of an optional field: nothing, or {@link tolerated}, or {@link toleratedUnlessArray}. */
export type OptionalField = <Schema extends z.ZodMiniType>(schema: Schema) => Schema

const CONTRACTS = new WeakMap<z.core.$ZodType, z.ZodMiniType>()

/**
 * The schema of a resource: it accepts every resource that can be used. Of an optional field that does not match, it makes `undefined` (open
 * point 39). {@link contractOf} returns the schema that accepts what the contract says.
 *
 * @param schemaWith  makes the schema, and passes each optional field to `optional`. It passes an array whose items are required to
 * `optionalArray`
 * @__NO_SIDE_EFFECTS__
 */
export function tolerant<Schema extends z.ZodMiniType>(
  schemaWith: (optional: OptionalField, optionalArray: OptionalField) => Schema,
): Schema {
  const unchanged: OptionalField = (schema) => schema
  const schema = schemaWith(tolerated as unknown as OptionalField, toleratedUnlessArray as unknown as OptionalField)
  CONTRACTS.set(schema, schemaWith(unchanged, unchanged))
  return schema
}

/** The schema without tolerance: for one that {@link tolerant} made, what the contract says; for any other, itself. */
export function contractOf<Shape>(schema: z.ZodMiniType<Shape>): z.ZodMiniType<Shape> {
  return (CONTRACTS.get(schema) as z.ZodMiniType<Shape> | undefined) ?? schema
}

/** An optional field: a value that does not match becomes `undefined` (open points 31 and 39). */
export function tolerated<Schema extends z.ZodMiniType>(schema: Schema): Tolerated<Schema> {
  return caught(z.optional(schema), () => undefined)
}

/** An optional array: any value but an array becomes `undefined`, and the items of an array must match. */
function toleratedUnlessArray<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.pipe(
    z.transform((value: unknown): unknown => (Array.isArray(value) || value === null ? value : undefined)),
    schema,
  )
}

/** Applies {@link tolerated} to each field. */
export function allTolerated<Fields extends Readonly<Record<string, z.ZodMiniType>>>(fields: Fields) {
  const entries = Object.entries(fields).map(([name, schema]) => [name, tolerated(schema)])
  return Object.fromEntries(entries) as { readonly [Name in keyof Fields]: Tolerated<Fields[Name]> }
}

/** An object. Any other value becomes an empty object. */
export function objectOrEmpty<Schema extends z.ZodMiniObject>(schema: Schema): z.ZodMiniCatch<Schema> {
  return caught(schema, () => ({}))
}

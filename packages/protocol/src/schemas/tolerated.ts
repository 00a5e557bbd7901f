import * as z from 'zod/mini'

type Tolerated<Schema extends z.ZodMiniType> = z.ZodMiniCatch<z.ZodMiniOptional<Schema>>

/** An optional field of an event: a value that does not match is left out (open point 31). */
export function tolerated<Schema extends z.ZodMiniType>(schema: Schema): Tolerated<Schema> {
  return caught(z.optional(schema), () => undefined)
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

// `z.catch` makes the same schema, but adds all utilities of zod to the bundle: 3.8 kB.
function caught<Schema extends z.ZodMiniType>(innerType: Schema, catchValue: () => unknown) {
  return new z.ZodMiniCatch({ type: 'catch', innerType, catchValue }) as z.ZodMiniCatch<Schema>
}

import * as z from 'zod/mini'

type Tolerated<Schema extends z.ZodMiniType> = z.ZodMiniCatch<z.ZodMiniOptional<Schema>>

/** A field without which an event can be processed: a value that does not match is left out (open point 31). */
export function tolerated<Schema extends z.ZodMiniType>(schema: Schema): Tolerated<Schema> {
  return caught(z.optional(schema), () => undefined)
}

/** The same for each of these fields. */
export function allTolerated<Fields extends Readonly<Record<string, z.ZodMiniType>>>(fields: Fields) {
  const entries = Object.entries(fields).map(([name, schema]) => [name, tolerated(schema)])
  return Object.fromEntries(entries) as { readonly [Name in keyof Fields]: Tolerated<Fields[Name]> }
}

/** An object; anything else becomes an empty one. */
export function objectOrEmpty<Schema extends z.ZodMiniObject>(schema: Schema): z.ZodMiniCatch<Schema> {
  return caught(schema, () => ({}))
}

// `z.catch` makes the same schema, but adds all utilities of zod to the bundle: 3.8 kB.
function caught<Schema extends z.ZodMiniType>(innerType: Schema, catchValue: () => unknown) {
  return new z.ZodMiniCatch({ type: 'catch', innerType, catchValue }) as z.ZodMiniCatch<Schema>
}

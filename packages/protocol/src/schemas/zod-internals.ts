import * as z from 'zod/mini'
import { $constructor, $ZodAsyncError, $ZodObjectJIT } from 'zod/v4/core'

// What zod has no public function for, and what takes several times as long, or fills a bundle, without it. It uses internal names of zod, which any
// version may change: `zod-internals.test.ts` fails when zod is upgraded, and says what to check.

const compiled: z.core.$constructor<z.core.$ZodObject> = $ZodObjectJIT
const objectInMini: z.core.$constructor<z.ZodMiniObject> = z.ZodMiniObject

// The object schemas of `zod/mini` interpret their fields; `zod` itself has an object schema that compiles them. The compiled schema is
// initialized first: zod initializes each part of a schema once, so the compiled parse function stays.
const CompiledObject = /* @__PURE__ */ $constructor<z.ZodMiniObject>('CompiledObject', (schema, def) => {
  compiled.init(schema, def)
  objectInMini.init(schema, def)
})

/**
 * A `z.looseObject` that reads a value in a third of the time. zod compiles it by `new Function`, and interprets it where the runtime forbids
 * that, or after `z.config({ jitless: true })`.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function compiledObject<Fields extends z.core.$ZodShape>(
  fields: Fields,
): z.ZodMiniObject<Fields, z.core.$loose> {
  return new CompiledObject({ type: 'object', shape: fields, catchall: z.unknown() }) as z.ZodMiniObject<
    Fields,
    z.core.$loose
  >
}

const catchInMini: z.core.$constructor<z.ZodMiniCatch> = z.ZodMiniCatch

const Caught = /* @__PURE__ */ $constructor<z.ZodMiniCatch>('Caught', (schema, def) => {
  catchInMini.init(schema, def)
  schema._zod.parse = (payload, context) => {
    const { value, issues } = runSchema(def.innerType as z.ZodMiniType, payload.value, context)
    payload.value = issues.length === 0 ? value : Reflect.apply(def.catchValue, undefined, [])
    return payload
  }
})

/**
 * A `z.catch` that adds no utilities of zod to the bundle, which are 3.8 kB, and does not describe each problem before it drops the value, which
 * takes seconds for a transcript with a million segments.
 */
export function caught<Schema extends z.ZodMiniType>(innerType: Schema, catchValue: () => unknown) {
  return new Caught({ type: 'catch', innerType, catchValue }) as z.ZodMiniCatch<Schema>
}

/**
 * Runs a schema without describing its issues and without an `Error`. `safeParse` does both, which takes much longer than reading the value.
 */
export function runSchema<Shape>(schema: z.ZodMiniType<Shape>, value: unknown, context: z.core.ParseContextInternal) {
  const result = schema._zod.run({ value, issues: [] }, context)
  if (result instanceof Promise) throw new $ZodAsyncError()
  return result as z.core.ParsePayload<Shape>
}

import * as z from 'zod/mini'
import { $constructor, $ZodObjectJIT } from 'zod/v4/core'

const compiled: z.core.$constructor<z.core.$ZodObject> = $ZodObjectJIT
const inMini: z.core.$constructor<z.ZodMiniObject> = z.ZodMiniObject

// The object schemas of `zod/mini` interpret their fields; `zod` itself has an object schema that compiles them. The compiled schema is
// initialized first: zod initializes each part of a schema once, so the compiled parse function stays.
const CompiledObject = /* @__PURE__ */ $constructor<z.ZodMiniObject>('CompiledObject', (schema, def) => {
  compiled.init(schema, def)
  inMini.init(schema, def)
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

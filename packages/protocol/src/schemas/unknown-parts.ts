import type * as z from 'zod/mini'
import { knownValuesOf } from './fields.ts'
import { requireSchema } from './read-shape.ts'
import { contractOf } from './tolerated.ts'

/** A field that the schema does not have, or a value that is not among the known values of its field. */
export interface UnknownPart {
  /** The path of the object that contains the field: `segments`, `owner`. Empty for the resource itself. */
  readonly path: string
  readonly field: string
  /** The unknown value of a known field; `undefined` for an unknown field. */
  readonly value: string | undefined
}

/**
 * Finds the fields of a valid resource that this version does not know, and the unknown values of fields that the service may extend.
 *
 * @throws `OptionError` if `schema` is not a zod schema
 */
export function unknownPartsOf(schema: z.ZodMiniType, value: object): readonly UnknownPart[] {
  requireSchema('unknownPartsOf', schema)
  return partsOf(unwrapped(contractOf(schema)), value, '')
}

function partsOf(schema: z.core.$ZodType, value: object, path: string): readonly UnknownPart[] {
  const def = defOf(schema)
  if (def.type !== 'object') return []
  const { shape } = def
  return Object.entries(value).flatMap(([field, found]) => {
    const known = Object.hasOwn(shape, field) ? shape[field] : undefined
    if (known !== undefined) return [found].flat().flatMap((item) => partsOfField(unwrapped(known), item, path, field))
    // Some services call the identifier of any resource `id` (open points 2 and 13).
    return field === 'id' ? [] : [{ path, field, value: undefined }]
  })
}

function partsOfField(schema: z.core.$ZodType, value: unknown, path: string, field: string): readonly UnknownPart[] {
  if (typeof value === 'object' && value !== null) {
    return partsOf(schema, value, path === '' ? field : `${path}.${field}`)
  }
  if (typeof value !== 'string' || knownValuesOf(schema)?.includes(value) !== false) return []
  return [{ path, field, value }]
}

/** The innermost schema, without the wrappers that make it optional, nullable, an array or an alias. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const def = defOf(schema)
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return unwrapped(def.innerType)
    case 'array':
      return unwrapped(def.element)
    case 'pipe':
      return unwrapped(def.out)
    default:
      return schema
  }
}

/** The definition of a schema, narrowed by its `type`: the types of zod do not tell which one a schema has. */
function defOf(schema: z.core.$ZodType): z.core.$ZodTypes['_zod']['def'] {
  return (schema as z.ZodMiniType).def as z.core.$ZodTypes['_zod']['def']
}

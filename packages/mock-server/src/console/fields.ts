import * as z from 'zod/mini'

/** A field of a form, from the schema of an operation. */
export interface Field {
  /** Fields of an object have a dot in their name: `fault.kind`. */
  readonly name: string
  readonly schema: z.core.$ZodType
  readonly isOptional: boolean
  readonly initial: unknown
  readonly hint: string
  /** The field belongs only to some alternatives: it is asked for if another field has one of these values. */
  readonly when?: { readonly field: string; readonly values: readonly string[] }
}

/** The schemas of which an input matches one. Each has a form of its own. */
export function alternativesOf(schema: z.core.$ZodType | undefined): readonly (z.core.$ZodType | undefined)[] {
  const def = schema && defOf(schema)
  return def?.type === 'union' && !('discriminator' in def) ? def.options : [schema]
}

/** The fields of an object, or of a union of objects that a field distinguishes. */
export function fieldsOf(schema: z.core.$ZodType | undefined, name = ''): readonly Field[] {
  if (schema === undefined) return []
  const { inner, ...described } = unwrapped(schema)
  const def = defOf(inner)
  if (def.type === 'object') {
    return Object.entries(def.shape).flatMap(([key, child]) => fieldsOf(child, name === '' ? key : `${name}.${key}`))
  }
  if (def.type === 'union' && 'discriminator' in def) {
    return variantFields(def.options, name === '' ? `${def.discriminator}` : `${name}.${def.discriminator}`, name)
  }
  return [{ name, schema: inner, ...described }]
}

function variantFields(options: readonly z.core.$ZodType[], kindName: string, name: string): readonly Field[] {
  const found = new Map<string, Field>()
  const kinds: string[] = []
  for (const option of options) {
    const fields = fieldsOf(option, name)
    const own = valuesOf(fields.find((field) => field.name === kindName)?.schema ?? z.never()) ?? []
    kinds.push(...own)
    for (const field of fields.filter((each) => each.name !== kindName)) {
      const before = found.get(field.name)
      const when = { field: kindName, values: [...(before?.when?.values ?? []), ...own] }
      found.set(field.name, { ...(before ?? field), when })
    }
  }
  return [{ name: kindName, schema: z.enum(kinds), isOptional: false, initial: undefined, hint: '' }, ...found.values()]
}

/** The texts that a field can have, if they are listed in its schema. */
export function valuesOf(schema: z.core.$ZodType): readonly string[] | undefined {
  const def = defOf(schema)
  if (def.type === 'enum') return Object.values(def.entries).map(String)
  if (def.type === 'literal') return def.values.map(String)
  return def.type === 'array' ? valuesOf(unwrapped(def.element).inner) : undefined
}

function unwrapped(schema: z.core.$ZodType) {
  let inner = schema
  let [isOptional, initial, hint]: [boolean, unknown, string] = [false, undefined, '']
  for (;;) {
    hint ||= z.globalRegistry.get(inner)?.description ?? ''
    const def = defOf(inner)
    if (def.type === 'default' || def.type === 'prefault') initial = def.defaultValue
    else if (def.type !== 'optional' && def.type !== 'nullable') return { inner, isOptional, initial, hint }
    isOptional = true
    inner = def.innerType
  }
}

/**
 * The input of an operation, from the texts of a form. A text becomes the first that its schema accepts: the text as JSON, the text, or
 * a list of its parts. An empty field is left out; in a form that changes something, it is `null` if that is possible.
 */
export function inputOf(schema: z.core.$ZodType | undefined, texts: URLSearchParams, isChange: boolean): object {
  const alternative = alternativesOf(schema).find((each) => {
    const names = new Set(fieldsOf(each).map(({ name }) => name))
    return [...texts.keys()].every((name) => names.has(name))
  })
  const input: Record<string, unknown> = {}
  for (const field of fieldsOf(alternative ?? alternativesOf(schema)[0])) {
    const { name, when } = field
    if (when !== undefined && !when.values.includes(texts.get(when.field) ?? '')) continue
    const value = readValue(field, texts.getAll(name), isChange)
    if (value === undefined) continue
    const [outer = '', inner] = name.split('.')
    if (inner === undefined) input[outer] = value
    else input[outer] = { ...(input[outer] as object | undefined), [inner]: value }
  }
  return input
}

function readValue({ schema, initial, name }: Field, given: readonly string[], isChange: boolean): unknown {
  const texts = given.map((text) => text.replaceAll('\r\n', '\n')).filter((text) => text !== '')
  const { type } = defOf(schema)
  if (type === 'array' && (texts.length > 1 || valuesOf(schema) !== undefined || LISTS.includes(name))) {
    return texts.length === 0 && !isChange && initial === undefined ? undefined : texts
  }
  const [text] = texts
  if (text === undefined) return isChange && given.length > 0 && type === 'string' ? null : undefined
  const candidates = type === 'string' ? [text] : [...asJson(text), text, ...asJson(`[${text}]`)]
  return candidates.find((candidate) => z.safeParse(schema, candidate).success) ?? candidates[0]
}

/** The definition of a schema, narrowed by its `type`: the types of zod do not tell which one a schema has. */
export function defOf(schema: z.core.$ZodType): z.core.$ZodTypes['_zod']['def'] {
  return (schema as z.ZodMiniType).def as z.core.$ZodTypes['_zod']['def']
}

/** Lists of which a person picks the entries. */
const LISTS = ['channels', 'scopes']

function asJson(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

import * as z from 'zod/mini'
import { isIdentifier, MAX_IDENTIFIER_LENGTH } from '../identifier.ts'
import type { OpenEnum } from '../open-enum.ts'

const A_REVISION = 'a whole number from 0'
export const NOT_EMPTY = 'a string that is not empty'
export const AN_IDENTIFIER = `a string of 1 to ${MAX_IDENTIFIER_LENGTH} UTF-16 code units, well-formed and without NUL`

/** A revision: a whole number from 0, small enough to compare exactly (contract §2). */
export const revision = z.int(A_REVISION).check(z.gte(0, A_REVISION))

/** The identifier of a resource. */
export const identifier = z.string().check(z.minLength(1, NOT_EMPTY))

/** An identifier in an event. Stores must be able to keep it: see {@link isIdentifier}. */
export const eventIdentifier = z.string().check(z.refine(isIdentifier, AN_IDENTIFIER))

/** A text that may be absent or `null`. */
export const text = z.nullish(z.string())

const KNOWN_VALUES = new WeakMap<z.core.$ZodType, readonly string[]>()

/** Any string, because the service may add values to the known ones (contract §2, §6). */
export function openEnum<const Known extends string>(...known: readonly Known[]): z.ZodMiniType<OpenEnum<Known>> {
  const schema = z.string()
  KNOWN_VALUES.set(schema, known)
  return schema
}

/** @returns `undefined` if the schema is no {@link openEnum} */
export function knownValuesOf(schema: z.core.$ZodType): readonly string[] | undefined {
  return KNOWN_VALUES.get(schema)
}

export const transcriptStatus = z.nullish(openEnum('pending', 'ready', 'empty', 'failed'))
export const summaryStatus = z.nullish(openEnum('pending', 'ready', 'missing', 'failed'))

import * as z from 'zod/mini'

/** A revision: a whole number from 0, small enough to compare exactly (contract §2). */
export const revision = z.int().check(z.gte(0))

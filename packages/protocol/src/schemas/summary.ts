import * as z from 'zod/mini'
import type { Summary } from '../summary.ts'
import { adoptId } from './identifier-alias.ts'
import { revision } from './revision.ts'

/** The schema of a {@link Summary} (open point 10). An absent `markdown` reads as `null`. */
export const summarySchema: z.ZodMiniType<Summary> = z.pipe(
  z.transform(adoptId('note_id')),
  z.looseObject({
    note_id: z.string().check(z.minLength(1)),
    revision: z.nullish(revision),
    status: z.nullish(z.string()),
    markdown: z._default(z.nullable(z.string()), null),
  }),
)

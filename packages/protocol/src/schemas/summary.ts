import type { Summary } from '@notewire/protocol'
import * as z from 'zod/mini'
import { identifiedBy, identifier, revision, summaryStatus } from './fields.ts'

export const summaryRecord = z.looseObject({
  note_id: identifier,
  revision: z.nullish(revision),
  status: summaryStatus,
  markdown: z._default(z.nullable(z.string()), null),
})

/**
 * The schema of a {@link Summary} (contract §2; open point 10). It accepts `id` in place of `note_id`. An absent `markdown`
 * becomes `null`.
 */
export const summarySchema: z.ZodMiniType<Summary> = identifiedBy('note_id', summaryRecord)

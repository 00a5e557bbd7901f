import type { Summary, Transcript } from '@notewire/protocol'
import * as z from 'zod/mini'
import { identifiedBy, identifier, revision, summaryStatus, text } from './fields.ts'

const segment = z.looseObject({
  speaker: text,
  start_ms: z.nullish(z.number()),
  end_ms: z.nullish(z.number()),
  text: z.string(),
})

export const transcriptRecord = z.looseObject({
  note_id: identifier,
  revision: z.nullish(revision),
  text: z.string(),
  segments: z.nullish(z.array(segment)),
})

/** The schema of a {@link Transcript} (contract §2; open point 9). It accepts `id` in place of `note_id`. */
export const transcriptSchema: z.ZodMiniType<Transcript> = identifiedBy('note_id', transcriptRecord)

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

import type { Transcript } from '@notewire/protocol'
import * as z from 'zod/mini'
import { identifiedBy, identifier, revision, text } from './fields.ts'

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

import * as z from 'zod/mini'
import type { Transcript } from '../transcript.ts'
import { adoptId } from './identifier-alias.ts'
import { revision } from './revision.ts'

/** The schema of a {@link Transcript} (open point 9). */
export const transcriptSchema: z.ZodMiniType<Transcript> = z.pipe(
  z.transform(adoptId('note_id')),
  z.looseObject({
    note_id: z.string().check(z.minLength(1)),
    revision: z.nullish(revision),
    text: z.string(),
    segments: z.nullish(
      z.array(
        z.looseObject({
          speaker: z.nullish(z.string()),
          start_ms: z.nullish(z.number()),
          end_ms: z.nullish(z.number()),
          text: z.string(),
        }),
      ),
    ),
  }),
)

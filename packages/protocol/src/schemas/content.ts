import type { Summary, Transcript } from '@notewire/protocol'
import * as z from 'zod/mini'
import { identifiedBy, identifier, revision, summaryStatus, text } from './fields.ts'
import { type OptionalField, tolerant } from './tolerated.ts'

export function transcriptRecord(optional: OptionalField, optionalArray: OptionalField) {
  const segment = z.looseObject({
    speaker: optional(text),
    start_ms: optional(z.nullish(z.number())),
    end_ms: optional(z.nullish(z.number())),
    text: z.string(),
  })
  return z.looseObject({
    note_id: identifier,
    revision: z.nullish(revision),
    text: z.string(),
    segments: optionalArray(z.nullish(z.array(segment))),
  })
}

/**
 * The schema of a {@link Transcript} (contract §2; open point 9). It accepts `id` in place of `note_id`. An optional field of another type is
 * left out (open point 39), but the text of a segment is required.
 */
export const transcriptSchema: z.ZodMiniType<Transcript> = /* @__PURE__ */ tolerant((optional, optionalArray) =>
  identifiedBy('note_id', transcriptRecord(optional, optionalArray)),
)

export function summaryRecord(optional: OptionalField) {
  return z.looseObject({
    note_id: identifier,
    revision: z.nullish(revision),
    status: optional(summaryStatus),
    markdown: z._default(z.nullable(z.string()), null),
  })
}

/**
 * The schema of a {@link Summary} (contract §2; open point 10). It accepts `id` in place of `note_id`. An absent `markdown`
 * becomes `null`, and a `status` of another type is left out (open point 39).
 */
export const summarySchema: z.ZodMiniType<Summary> = /* @__PURE__ */ tolerant((optional) =>
  identifiedBy('note_id', summaryRecord(optional)),
)

import type { Note } from '@notewire/protocol'
import * as z from 'zod/mini'
import { noteSchema } from './note.ts'

/** The schema of the notes of a page. The field that holds them has no fixed name (open point 1). */
export const noteListSchema: z.ZodMiniType<readonly Note[]> = z.array(noteSchema)

/** What a page of the list says about the next page (contract §4; open point 6). */
export interface PageEnding {
  readonly next_cursor?: string | null | undefined
  readonly has_more?: boolean | null | undefined
}

/** The schema of a {@link PageEnding}. */
export const pageEndingSchema: z.ZodMiniType<PageEnding> = z.looseObject({
  next_cursor: z.nullish(z.string()),
  has_more: z.nullish(z.boolean()),
})

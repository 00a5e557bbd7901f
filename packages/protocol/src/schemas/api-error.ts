import type { ApiErrorBody } from '@notewire/protocol'
import * as z from 'zod/mini'

/** The schema of an {@link ApiErrorBody} (open point 22). */
export const apiErrorBodySchema: z.ZodMiniType<ApiErrorBody> = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string(), scope: z.nullish(z.string()) }),
})

import { ForbiddenError } from '@notewire/client'
import type { ContentPart } from '@notewire/mirror'
import type { Context } from '../../context/context.ts'

/** The requests of the parts that have a scope of their own (contract §5). */
const PART_OF: Readonly<Record<string, { readonly part: ContentPart; readonly scope: string }>> = {
  'GET /v1/notes/{note_id}/transcript': { part: 'transcript', scope: 'transcripts:read' },
  'GET /v1/notes/{note_id}/summary': { part: 'summary', scope: 'summaries:read' },
}

/**
 * Runs work with all parts of the notes, and again without a part that the key may not read. Each pull tries all parts, because the key may get the
 * scope later: the next full listing then fetches what is missing.
 */
export async function withReadableParts<Result>(
  work: (parts: readonly ContentPart[]) => Promise<Result>,
  { output }: Pick<Context, 'output'>,
): Promise<Result> {
  for (let parts: readonly ContentPart[] = ['note', 'transcript', 'summary']; ; ) {
    try {
      return await work(parts)
    } catch (error) {
      const refused = refusedPart(error)
      if (refused === undefined || !parts.includes(refused.part)) throw error
      parts = parts.filter((part) => part !== refused.part)
      const message = `The key may not read the ${refused.part} of a note (403), so this pull copies the notes without it. To copy it, too, use a key with the scope ${refused.scope}.`
      output.warn(message)
    }
  }
}

/** The part of a note that the service refused to show with this key; `undefined` for any other error. */
export function refusedPart(error: unknown): { readonly part: ContentPart; readonly scope: string } | undefined {
  return error instanceof ForbiddenError ? PART_OF[error.operation] : undefined
}

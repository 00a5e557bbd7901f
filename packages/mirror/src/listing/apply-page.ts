import type { LeftOutNote } from '@notewire/client'
import { NoteRefusedError } from '../errors.ts'
import type { SyncContext } from '../fetching/sync.ts'
import { judgePage, NO_COUNTS, type PageCounts, type PagePart } from '../rules/listing-rule.ts'
import type { Copy } from './copy.ts'
import { withAcceptedKey } from './key-guard.ts'
import { halvesOf, noteIdsIn, partsOf, withoutIds } from './page-parts.ts'

/** A page as the client returned it. */
export type FetchedPage = PagePart & { readonly leftOut: readonly LeftOutNote[] }

/** What has been applied of a page. */
interface AppliedPage {
  readonly copy: Copy
  /** Whether notes have changed, so that notes may be due. */
  readonly hasChangedNotes: boolean
}

interface AppliedParts extends AppliedPage {
  readonly counts: PageCounts
}

/** The maximum number of notes of a page in one commit: some services list all notes on one page. */
const MAX_NOTES_PER_COMMIT = 500

/**
 * Applies a page, under the lease of the integration. The checkpoint or the cursor advances in the commit of the page's last notes, so an
 * interrupted page is listed again. The notes of a poll, which are mostly edits, are divided as the store asks. A note that the client left out
 * exists, and is read by itself, and so is a note whose record the store refuses.
 *
 * @throws LeaseLostError if another worker has taken the integration
 */
export async function applyPage(copy: Copy, page: FetchedPage, context: SyncContext): Promise<AppliedPage> {
  const { store, hooks } = context
  // Notes after the first hundred share an error.
  const leftOut: readonly LeftOutNote[] = page.leftOut
  const problems = new Map(leftOut.map(({ note_id, error }) => [error, note_id]))
  for (const [error, noteId] of problems) hooks.onProblem({ error, noteId })
  const maxNotes = page.phase === 'poll' ? store.mostEditsPerCommit : MAX_NOTES_PER_COMMIT
  const request = { start: copy.sequence, requestedAt: copy.committedAt }
  let applied: AppliedParts = { copy, hasChangedNotes: false, counts: NO_COUNTS }
  for (const part of partsOf(page, maxNotes)) applied = await applyPart(applied, part, request, context)
  return applied
}

type PageRequest = Parameters<typeof judgePage>[2]['request']

/** Applies a part. If the store refuses it, divides it until the refused note is alone, and leaves that note out. */
async function applyPart(
  before: AppliedParts,
  part: PagePart,
  request: PageRequest,
  context: SyncContext,
): Promise<AppliedParts> {
  try {
    return await commitPart(before, part, request, context)
  } catch (error) {
    if (!(error instanceof NoteRefusedError)) throw error
    const [first, second] = halvesOf(part)
    if (second !== undefined) {
      return await applyPart(await applyPart(before, first, request, context), second, request, context)
    }
    const [note] = part.notes
    if (note === undefined) return await commitPart(before, withoutIds(part), request, context)
    context.hooks.onProblem({ error, noteId: note.note_id })
    const leftOut = [...part.leftOut, { note_id: note.note_id }]
    return await applyPart(before, { ...part, notes: [], leftOut }, request, context)
  }
}

async function commitPart(
  before: AppliedParts,
  part: PagePart,
  request: PageRequest,
  context: SyncContext,
): Promise<AppliedParts> {
  const { ledger, clock, keep } = context
  const { copy, writes, revision } = await ledger.commit({
    noteIds: noteIdsIn(part),
    decide: (loaded) => {
      const known = { ...loaded, progress: before.copy.progress }
      const judged = judgePage(part, known, { request, at: clock.now(), keep, earlier: before.counts })
      return { ...judged, progress: withAcceptedKey(judged.progress, context) }
    },
  })
  return {
    copy: { ...copy, committedAt: clock.now() },
    hasChangedNotes: before.hasChangedNotes || writes.size > 0,
    counts: revision.counts,
  }
}

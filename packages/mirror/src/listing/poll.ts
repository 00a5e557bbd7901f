import type { Lister, ListingTools, PageFindings } from './lister.ts'
import type { PollProgress } from './progress.ts'

const NOTES_ON_A_PAGE = 100

/** Lists what has changed since the last time, or everything the first time, and goes on where it was interrupted. */
export async function poll(lister: Lister, { client, ledger, signal }: ListingTools): Promise<void> {
  const phase = lister.progress.poll.backfilledAt === null ? 'backfill' : 'poll'
  let listed = 0
  let watermark = lister.progress.poll.watermark
  const changes = client.notes.changes({ after: lister.progress.poll.checkpoint }, { limit: NOTES_ON_A_PAGE, signal })
  for await (const page of changes) {
    listed += page.notes.length
    watermark = page.watermark?.getTime() ?? watermark
    await lister.applyPage(page.notes, phase, (found) => ({
      poll: { ...watched(lister.progress.poll, phase, found), checkpoint: page.checkpoint, isUnderWay: true },
    }))
    lister.tellProgress(phase, listed)
  }
  const now = ledger.clock.now()
  const { poll: behind } = lister.progress
  await lister.advance({
    poll: { ...behind, isUnderWay: false, watermark, backfilledAt: behind.backfilledAt ?? now, polledAt: now },
  })
}

/** Counts the changes that no event announced since the last one came. */
function watched(poll: PollProgress, phase: 'backfill' | 'poll', { unannounced, heardAt }: PageFindings): PollProgress {
  const before = heardAt === poll.heardAt ? poll.unannounced : 0
  return { ...poll, heardAt, unannounced: before + (phase === 'poll' ? unannounced : 0) }
}

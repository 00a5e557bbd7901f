import type { SyncContext } from '../context/sync-context.ts'
import type { ProgressNotice } from '../interfaces/mirror-hooks.ts'
import { NOTES_ON_A_PAGE } from '../service/full-listing.ts'
import type { Lister } from './lister.ts'

/** Lists what changed since the last poll, or everything the first time. It continues where it was interrupted, and yields after each page. */
export async function* poll(lister: Lister, { client, clock, signal }: SyncContext): AsyncGenerator<ProgressNotice> {
  const phase = lister.progress.poll.backfilledAt === null ? 'backfill' : 'poll'
  let done = 0
  let { watermark } = lister.progress.poll
  const changes = client.notes.changes({ after: lister.progress.poll.checkpoint }, { limit: NOTES_ON_A_PAGE, signal })
  for await (const { notes, checkpoint, watermark: latest } of changes) {
    await lister.applyPage({ phase, notes, checkpoint })
    done += notes.length
    watermark = latest?.getTime() ?? watermark
    yield { phase, done }
  }
  const polledAt = clock.now()
  const { poll } = lister.progress
  const backfilledAt = poll.backfilledAt ?? polledAt
  await lister.advance({ poll: { ...poll, isUnderWay: false, watermark, backfilledAt, polledAt } })
}

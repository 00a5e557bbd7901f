import type { ChangesPage } from '@notewire/client'
import type { SyncContext } from '../fetching/sync.ts'
import type { MirrorProgress, PollProgress } from '../integrations/progress.ts'
import { progressAfterPoll } from '../rules/listing-rule.ts'
import { mustRestart } from '../rules/listing-track.ts'
import { PAGE_SIZE } from '../service/full-listing.ts'
import { withAcceptedKey } from './key-guard.ts'
import type { ListedPage, Lister } from './lister.ts'
import { applyTracked, hasCursor, hasFailedTooOften, recordFailure, requireNoWait, requireRestart } from './tracking.ts'

/** How long a poll is repeated because of a note that cannot be identified. Daily full listings list such notes as well. */
const REPEAT_FOR_MS = 24 * 60 * 60_000

/** Where a poll is. It stops advancing before a page with a note that cannot be identified, so that the next poll lists the page again. */
interface Place extends Pick<PollProgress, 'checkpoint' | 'watermark'> {
  isRepeated: boolean
}

/**
 * Lists the changes since the last poll, or all notes the first time. Continues an interrupted poll, and begins it again if the service no
 * longer knows its cursor. Returns the progress after the poll.
 */
export async function* poll(lister: Lister, context: SyncContext): AsyncGenerator<ListedPage, MirrorProgress> {
  const { clock } = context
  requireNoWait(lister, 'poll', context)
  const { checkpoint, watermark, repeatingSince = clock.now() } = lister.progress.poll
  let place: Place = { checkpoint, watermark, isRepeated: false }
  const mayRepeat = lister.progress.poll.backfilledAt !== null && clock.now() - repeatingSince < REPEAT_FOR_MS
  const pass = (page: ChangesPage): Place => {
    const isRepeated = place.isRepeated || (mayRepeat && page.leftOut.some(({ note_id }) => note_id === undefined))
    const passed = { checkpoint: page.checkpoint, watermark: page.watermark?.getTime() ?? null, isRepeated }
    place = isRepeated ? { ...place, isRepeated } : passed
    return place
  }
  try {
    yield* listOnce(lister, context, pass)
  } catch (error) {
    throw await recordFailure(lister, 'poll', error, context)
  }
  const end = { ...place, heardAt: lister.heardAt, endedAt: clock.now() }
  const ended = progressAfterPoll(lister.progress, place.isRepeated ? { ...end, repeatingSince } : end)
  return withAcceptedKey(ended, context)
}

/** Advances the poll by a page, and returns where it is then. */
type Pass = (page: ChangesPage) => Place

/** Continues at the stored checkpoint. Begins again if the service has answered 500 to its cursor too often; of other signs, the client takes care. */
async function* listOnce(lister: Lister, context: SyncContext, pass: Pass): AsyncGenerator<ListedPage> {
  if (mustRestart(lister.progress.poll.track)) return yield* listChanges(lister, context, pass, true)
  try {
    yield* listChanges(lister, context, pass, false)
  } catch (error) {
    const isUnknown = hasCursor(lister.progress, 'poll') && hasFailedTooOften(error, lister.progress.poll.track)
    if (!isUnknown) throw error
    yield* listChanges(lister, context, pass, true)
  }
}

async function* listChanges(
  lister: Lister,
  context: SyncContext,
  pass: Pass,
  mustBeginAgain: boolean,
): AsyncGenerator<ListedPage> {
  const { client, clock, signal } = context
  const { checkpoint: stored, backfilledAt } = lister.progress.poll
  const phase = backfilledAt === null ? 'backfill' : 'poll'
  const startedAfter = startOf(lister.progress.poll)
  let isRestart = mustBeginAgain
  if (isRestart) await requireRestart(lister, 'poll', context)
  let { startSequence = lister.sequence } = lister.progress.poll.track ?? {}
  let done = 0
  const after = isRestart ? startedAfter : stored
  const changes = client.notes.changes({ after }, { limit: PAGE_SIZE, clock, signal })
  for await (const page of changes) {
    const { notes, leftOut, has_more, restarted } = page
    if (restarted) await requireRestart(lister, 'poll', context)
    isRestart ||= restarted
    startSequence = startSequenceAt(lister, isRestart, startSequence)
    const { checkpoint, isRepeated } = pass(page)
    const hasNext = has_more && !isRepeated
    // Most polls find nothing. The checkpoint of an empty last page is part of the end of the poll.
    const mustApply = notes.length + leftOut.length > 0 || hasNext
    const applied = { phase, notes, leftOut, checkpoint, hasNext, isRestart, startedAfter, startSequence } as const
    const hasChangedNotes = mustApply && (await applyTracked(lister, applied, context))
    isRestart = false
    done += notes.length
    const { track } = lister.progress.poll
    yield { notice: { phase, done, idlePages: track?.idlePages }, hasChangedNotes, isLast: !has_more, track }
  }
}

/** The sequence number from which notes count as listed: of the poll so far, or from its restart. */
function startSequenceAt({ sequence }: Lister, isRestart: boolean, begun: number): number {
  return isRestart ? sequence : begun
}

/** The checkpoint that a poll started after. An earlier version did not record it: then all notes are listed again. */
function startOf({ checkpoint, backfilledAt, isUnderWay, repeatingSince, track }: PollProgress): string | null {
  if (backfilledAt === null) return null
  if (track?.startedAfter !== undefined) return track.startedAfter
  return isUnderWay && repeatingSince === undefined ? null : checkpoint
}

import type { ChangesPage } from '@notewire/client'
import type { SyncContext } from '../fetching/sync.ts'
import type { MirrorProgress, PollProgress } from '../integrations/progress.ts'
import { progressAfterPoll } from '../rules/listing-rule.ts'
import { mayRestart } from '../rules/listing-track.ts'
import { PAGE_SIZE } from '../service/full-listing.ts'
import { applyPage, type FetchedPage } from './apply-page.ts'
import type { Copy } from './copy.ts'
import { withAcceptedKey } from './key-guard.ts'
import { followFromCursor, isIdleForTooLong, type ListedPage, type ListingState, stall } from './tracking.ts'

/** How long a poll is repeated because of a note that cannot be identified. Daily full listings list such notes as well. */
const REPEAT_FOR_MS = 24 * 60 * 60_000

/** Where a poll is. It stops advancing before a page with a note that cannot be identified, so that the next poll lists the page again. */
interface PollState extends ListingState, Pick<PollProgress, 'checkpoint' | 'watermark'> {
  readonly isRepeated: boolean
}

/** How a poll ended. */
interface PollEnd extends ListingState {
  /** The progress after the poll, which is not committed yet. */
  readonly progress: MirrorProgress
}

/**
 * Lists the changes since the last poll, or all notes the first time. Continues an interrupted poll, and begins it again if the service no
 * longer knows its cursor.
 */
export async function* poll(begin: Copy, context: SyncContext): AsyncGenerator<ListedPage, PollEnd> {
  const { clock } = context
  const { checkpoint, watermark, backfilledAt, repeatingSince = clock.now() } = begin.progress.poll
  const mayRepeat = backfilledAt !== null && clock.now() - repeatingSince < REPEAT_FOR_MS
  const state = { copy: begin, checkpoint, watermark, isRepeated: false }
  const polled = yield* followFromCursor<PollState>(state, 'poll', context, (from, isRestart) =>
    listChanges(from, context, { isRestart, mayRepeat }),
  )
  const { copy, error, isRepeated } = polled
  if (error !== undefined) return { copy, error, progress: copy.progress }
  const end = { ...polled, heardAt: copy.heardAt, endedAt: clock.now() }
  const ended = progressAfterPoll(copy.progress, isRepeated ? { ...end, repeatingSince } : end)
  return { copy, progress: withAcceptedKey(ended, context) }
}

/** How {@link listChanges} begins. */
interface ChangesBegin {
  readonly isRestart: boolean
  readonly mayRepeat: boolean
}

async function* listChanges(
  from: PollState,
  context: SyncContext,
  { isRestart: mustBeginAgain, mayRepeat }: ChangesBegin,
): AsyncGenerator<ListedPage, PollState> {
  const { client, clock, signal } = context
  const { checkpoint: stored, backfilledAt, track } = from.copy.progress.poll
  const phase = backfilledAt === null ? 'backfill' : 'poll'
  const startedAfter = startOf(from.copy.progress.poll)
  const after = mustBeginAgain ? startedAfter : stored
  let state = from
  let isRestart = mustBeginAgain
  let startSequence = track?.startSequence ?? from.copy.sequence
  let done = 0
  try {
    for await (const page of client.notes.changes({ after }, { limit: PAGE_SIZE, clock, signal })) {
      const { copy } = state
      if (page.restarted && !mayRestart(copy.progress.poll.track)) return await stall(state, 'poll', context)
      isRestart ||= page.restarted
      // The sequence number from which notes count as listed: of the poll so far, or from its restart.
      if (isRestart) startSequence = copy.sequence
      state = stateAfter(state, page, mayRepeat)
      const part = { ...partOf(page, state), phase, isRestart, startedAfter, startSequence } as const
      const applied = await applyUnlessEmpty(copy, part, context)
      state = { ...state, copy: applied.copy }
      if (isIdleForTooLong(copy, state.copy, 'poll')) return await stall(state, 'poll', context)
      isRestart = false
      done += page.notes.length
      yield { ...applied, notice: { phase, done, idlePages: idlePagesOf(state) }, isLast: !page.has_more }
    }
    return state
  } catch (error) {
    return { ...state, error }
  }
}

function stateAfter(state: PollState, page: ChangesPage, mayRepeat: boolean): PollState {
  const isRepeated = state.isRepeated || (mayRepeat && page.leftOut.some(({ note_id }) => note_id === undefined))
  if (isRepeated) return { ...state, isRepeated }
  return { ...state, checkpoint: page.checkpoint, watermark: page.watermark?.getTime() ?? null }
}

function partOf({ notes, leftOut, has_more }: ChangesPage, { checkpoint, isRepeated }: PollState) {
  return { notes, leftOut, checkpoint, hasNext: has_more && !isRepeated }
}

/** Most polls find nothing. The checkpoint of an empty last page is part of the end of the poll. */
async function applyUnlessEmpty(copy: Copy, page: FetchedPage & { readonly hasNext: boolean }, context: SyncContext) {
  const isEmpty = page.notes.length + page.leftOut.length === 0 && !page.hasNext
  return isEmpty ? { copy, hasChangedNotes: false } : await applyPage(copy, page, context)
}

function idlePagesOf({ copy }: PollState): number | undefined {
  return copy.progress.poll.track?.idlePages
}

/** The checkpoint that a poll started after. An earlier version did not record it: then all notes are listed again. */
function startOf({ checkpoint, backfilledAt, isUnderWay, repeatingSince, track }: PollProgress): string | null {
  if (backfilledAt === null) return null
  if (track?.startedAfter !== undefined) return track.startedAfter
  return isUnderWay && repeatingSince === undefined ? null : checkpoint
}

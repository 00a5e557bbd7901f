import type { LeftOutNote } from '@notewire/client'
import { isTombstone, type Note } from '@notewire/protocol'
import type { FullListingProgress, MirrorProgress, PollProgress } from '../integrations/progress.ts'
import { type NoteState, unknownNote } from '../notes/note-state.ts'
import type { LoadedNotes } from '../stores/mirror-store.ts'
import type { Decision, ReadPolicy, ReadStamp } from './evidence.ts'
import { trackAfterPage } from './listing-track.ts'
import { applyRead, applyUnusable } from './read-rule.ts'

/** A note that is left out, because its record cannot be used or stored. Without an id, it may be any note. */
export type UnusableNote = Pick<LeftOutNote, 'note_id'>

/** A page of a listing, or a part of it, and the checkpoint or cursor of the next page. */
export type PagePart = {
  readonly notes: readonly Note[]
  readonly leftOut: readonly UnusableNote[]
  /** Whether other parts of the page follow: then the listing does not advance. */
  readonly isUnfinished?: boolean
} & (PollPage | FullListingPage)

interface FullListingPage {
  readonly phase: 'full-listing'
  readonly cursor: string | null
  /** The full listing that begins with this page, because the service no longer accepts the cursor of the full listing under way. */
  readonly restarted?: FullListingProgress | undefined
}

interface PollPage {
  readonly phase: 'backfill' | 'poll'
  readonly checkpoint: string | null
  /** Whether the checkpoint is that of the next page. If not, the page ends the poll, or will be listed again. */
  readonly hasNext: boolean
  readonly isRestart: boolean
  /** The checkpoint that the poll started after. */
  readonly startedAfter: string | null
  /** The sequence number before page one of the poll. */
  readonly startSequence: number
}

/** What a page lists, of which all parts up to this one are applied. */
export interface PageCounts {
  /** How many notes, whether they can be used or not. */
  readonly listed: number
  /** How many of them the listing has not listed before. */
  readonly newNotes: number
  /** How many of them are no tombstones, and have an identifier. */
  readonly live: number
  readonly unidentified: number
}

export const NO_COUNTS: PageCounts = { listed: 0, newNotes: 0, live: 0, unidentified: 0 }

interface PageContext extends ReadPolicy {
  /** When the page was requested. */
  readonly request: Pick<ReadStamp, 'start' | 'requestedAt'>
  readonly at: number
  /** The counts of the earlier parts of the page. */
  readonly earlier: PageCounts
}

/** What to write for a page, or a part of it: the notes that it changes, and the progress of its listing. */
interface JudgedPage {
  readonly notes: readonly Decision[]
  readonly progress: MirrorProgress
  readonly counts: PageCounts
}

/** Decides what to write for a page, or a part of it. */
export function judgePage(page: PagePart, before: LoadedNotes, context: PageContext): JudgedPage {
  const notes = judgeNotes(page, before, context)
  const counts = countPart(page, before, notes, context.earlier)
  const progress =
    page.phase === 'full-listing'
      ? afterFullListingPage(page, before, counts)
      : afterPollPage(page, before, notes, counts)
  return { notes, progress, counts }
}

function judgeNotes(page: PagePart, before: LoadedNotes, { request, at, keep }: PageContext): readonly Decision[] {
  const { phase: source } = page
  const fullListingBeganAt = page.phase === 'full-listing' ? fullListingOf(page, before.progress).beganAt : undefined
  const stamp = { ...request, source, fullListingBeganAt, end: before.sequence, at }
  const stateOf = (noteId: string) => before.notes.get(noteId)?.state ?? unknownNote(noteId)
  const listed = page.notes.map((note) => applyRead(stateOf(note.note_id), note, stamp, { keep }))
  const unusable = unusableIdsIn(page).flatMap((noteId) => applyUnusable(stateOf(noteId), stamp) ?? [])
  return [...listed, ...unusable]
}

/** Adds a part of a page to the counts of its earlier parts. */
function countPart(
  page: PagePart,
  before: LoadedNotes,
  decisions: readonly Decision[],
  earlier: PageCounts,
): PageCounts {
  return {
    listed: earlier.listed + page.notes.length + page.leftOut.length,
    newNotes: earlier.newNotes + countNew(page, before, decisions),
    live: earlier.live + liveIdsIn(page).length,
    unidentified: earlier.unidentified + countUnidentified(page),
  }
}

function afterPollPage(
  page: PagePart & PollPage,
  before: LoadedNotes,
  decisions: readonly Decision[],
  counts: PageCounts,
): MirrorProgress {
  const { progress } = before
  const found = page.phase === 'poll' ? decisions.filter((decision) => isUnannounced(decision, before)).length : 0
  const unstoredSequence = countUnidentified(page) > 0 ? before.sequence : progress.poll.unstoredSequence
  const poll = { ...withUnannounced(progress.poll, before.heardAt, found), unstoredSequence, isUnderWay: true }
  if (page.isUnfinished) return { ...progress, poll }
  const { checkpoint, isRestart, startedAfter, startSequence } = page
  const tracked = () => ({ ...trackAfterPage(poll.track, { ...counts, isRestart }), startedAfter, startSequence })
  const track = page.hasNext ? tracked() : poll.track
  return { ...progress, poll: { ...poll, checkpoint, track } }
}

function afterFullListingPage(
  page: PagePart & FullListingPage,
  before: LoadedNotes,
  counts: PageCounts,
): MirrorProgress {
  const { progress } = before
  const fullListing = fullListingOf(page, progress)
  const keptHere = liveIdsIn(page).filter((noteId) => wasLiveBefore(before, noteId, fullListing))
  const kept = fullListing.kept + keptHere.length
  // What does not depend on what was stored before is counted with the last part: an interrupted page is listed again.
  if (page.isUnfinished) return { ...progress, fullListing: { ...fullListing, kept } }
  const unidentified =
    counts.unidentified === 0 ? fullListing.unidentified : (fullListing.unidentified ?? 0) + counts.unidentified
  const counted = { ...fullListing, seen: fullListing.seen + counts.live, kept, unidentified }
  const { cursor } = page
  const phase = cursor === null ? 'listed' : 'listing'
  const isRestart = page.restarted !== undefined
  const track = cursor === null ? undefined : trackAfterPage(fullListing.track, { ...counts, isRestart })
  return { ...progress, fullListing: { ...counted, cursor, phase, track } }
}

/** The full listing that a page belongs to. An earlier part of the page may have begun it. */
function fullListingOf({ restarted }: FullListingPage, progress: MirrorProgress): FullListingProgress {
  const isBegun = restarted === undefined || progress.fullListing?.fullListingId === restarted.fullListingId
  return isBegun ? requireFullListing(progress) : restarted
}

interface PollEnd extends Pick<PollProgress, 'checkpoint' | 'watermark' | 'heardAt' | 'repeatingSince'> {
  readonly endedAt: number
}

/** The progress after a poll, or after the backfill. */
export function progressAfterPoll(progress: MirrorProgress, end: PollEnd): MirrorProgress {
  const { checkpoint, watermark, heardAt, endedAt, repeatingSince } = end
  const poll = withUnannounced(progress.poll, heardAt, 0)
  const backfilledAt = poll.backfilledAt ?? endedAt
  const isUnderWay = repeatingSince !== undefined
  const track = isUnderWay ? poll.track : undefined
  const ended = { checkpoint, isUnderWay, repeatingSince, track, watermark, polledAt: endedAt, backfilledAt }
  return { ...progress, poll: { ...poll, ...ended } }
}

export function requireFullListing({ fullListing }: MirrorProgress): FullListingProgress {
  if (fullListing === null) throw new Error('no full listing is under way')
  return fullListing
}

/**
 * Counts the notes of a page that the listing has not listed before, not even at another revision. A record that proves nothing, because an event has
 * announced a deletion at a higher revision, does not count: it leaves no trace that tells whether it is listed again.
 */
function countNew(page: PagePart, before: LoadedNotes, decisions: readonly Decision[]): number {
  const { startSequence } = page.phase === 'full-listing' ? fullListingOf(page, before.progress) : page
  const isListed = (state: NoteState | undefined) => (state?.evidence?.start ?? -1) >= startSequence
  const inPage = new Set(page.notes.map(({ note_id }) => note_id))
  return decisions.filter(
    ({ state }) => inPage.has(state.noteId) && isListed(state) && !isListed(before.notes.get(state.noteId)?.state),
  ).length
}

/** Counts the changes that no event announced, since the latest event. */
function withUnannounced(poll: PollProgress, heardAt: number | null, found: number): PollProgress {
  return { ...poll, heardAt, unannounced: found + (heardAt === poll.heardAt ? poll.unannounced : 0) }
}

/** Whether a note has changed although the mirror had no pending hint for it. */
function isUnannounced({ state: { noteId }, announce }: Decision, before: LoadedNotes): boolean {
  const { readAfterSequence = null, hintedRevision = null } = before.notes.get(noteId)?.state ?? {}
  return announce !== undefined && readAfterSequence === null && hintedRevision === null
}

/** The listed notes that are no tombstones, even if their record cannot be used. */
function liveIdsIn(page: PagePart): readonly string[] {
  const live = page.notes.filter((note) => !isTombstone(note)).map(({ note_id }) => note_id)
  return [...live, ...unusableIdsIn(page)]
}

/** The ids of the notes of which the page lists only a record that cannot be used. */
function unusableIdsIn({ notes, leftOut }: PagePart): readonly string[] {
  const listed = new Set(notes.map(({ note_id }) => note_id))
  const unusable = new Set(leftOut.flatMap(({ note_id = [] }) => note_id))
  return [...unusable].filter((noteId) => !listed.has(noteId))
}

/** Whether the mirror showed a note before the full listing began. */
function wasLiveBefore(before: LoadedNotes, noteId: string, { startSequence }: FullListingProgress): boolean {
  const state = before.notes.get(noteId)?.state
  return state?.presence === 'live' && (state.evidence?.start ?? 0) < startSequence
}

function countUnidentified({ leftOut }: PagePart): number {
  return leftOut.filter(({ note_id }) => note_id === undefined).length
}

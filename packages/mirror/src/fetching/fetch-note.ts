import type { NoteWithContent } from '@notewire/client'
import { isTombstone, type Note } from '@notewire/protocol'
import type { atMost } from '../concurrency/calls.ts'
import { eachNote } from '../ledger/ledger.ts'
import { hasWork, type NoteState } from '../notes/note-state.ts'
import { areAttemptsUsedUp, scheduled } from '../rules/backoff.ts'
import {
  applyLateContent,
  isContentOf,
  judgeContent,
  lacksReadyPart,
  mayContentLag,
  postponeContent,
  rereadOutdated,
  withoutOutdated,
} from '../rules/content-rule.ts'
import { highestKnownRevision } from '../rules/contradiction.ts'
import type { Decision, ReadStamp } from '../rules/evidence.ts'
import { applyRead } from '../rules/read-rule.ts'
import { afterWrite } from '../rules/written-parts.ts'
import type { VersionedState } from '../stores/mirror-store.ts'
import type { HandedOutNote } from './due-queue.ts'
import type { SyncContext } from './sync.ts'

/** Content that was fetched, and how to write it. It is written together with the content of other notes. */
export interface FetchedContent {
  /** The note for which the content was read. */
  readonly known: VersionedState
  readonly decide: (state: NoteState) => Decision | undefined
}

/** A record whose content must be read, and what was known of its note at that time. */
interface ReadRecord {
  readonly note: Note
  readonly known: VersionedState
  readonly startSequence: number
  /** The content, if it was read at the same time as the record. */
  readonly content?: NoteWithContent | undefined
}

/**
 * Fetches a note if it must be read, and its transcript and summary if they are due. Returns the content, if it was fetched and is not written yet.
 *
 * @param limit  limits how many notes have their content read at a time
 */
export async function fetchNote(
  { note: known, startSequence }: HandedOutNote,
  context: SyncContext,
  limit: ReturnType<typeof atMost>,
): Promise<FetchedContent | undefined> {
  const { state } = known
  if (!hasWork(state)) return await clearDueTime(state, context)
  const note = state.readAfterSequence === null ? knownRecord(state) : undefined
  const read = note ? { note, known, startSequence } : await fetchRecord(state, startSequence, context, limit)
  return read && (await limit(() => fetchContent(read, context)))
}

/** What is known of a record, as far as reading its content needs it; `undefined` if the note was never read. */
function knownRecord({ noteId, revision, updatedAt, ...state }: NoteState): Note | undefined {
  if (revision === null) return undefined
  const { status, transcriptStatus, summaryStatus } = state
  return {
    note_id: noteId,
    revision,
    updated_at: updatedAt,
    status,
    transcript_status: transcriptStatus,
    summary_status: summaryStatus,
  }
}

/** Otherwise a note that is due although there is nothing to read would be handed out for ever. */
async function clearDueTime({ noteId }: NoteState, context: SyncContext): Promise<undefined> {
  await revise(noteId, context, (state) => ({ state: scheduled(state, context.clock.now()) }))
}

/** @returns the record, if its content is due now */
async function fetchRecord(
  before: NoteState,
  startSequence: number,
  context: SyncContext,
  limit: ReturnType<typeof atMost>,
): Promise<ReadRecord | undefined> {
  const { noteId, revision } = before
  const request = { start: startSequence, requestedAt: context.clock.now() }
  const announced = highestKnownRevision(before)
  // If reading the record fails, the content is of no use.
  const abandoned = new AbortController()
  const reading = findNote(noteId, context).catch((error) => {
    abandoned.abort(error)
    throw error
  })
  // After an event the content has changed, too. Reading it now saves a round trip.
  const isAnnounced = announced > (revision ?? -1)
  const untilAbandoned = () => ({ ...context, signal: AbortSignal.any([context.signal, abandoned.signal]) })
  const readingContent = isAnnounced ? limit(() => readAnnounced(noteId, announced, untilAbandoned())) : undefined
  const note = await reading.finally(() => readingContent)
  const content = await readingContent
  const known = await applyAnswer(noteId, note, request, context)
  if (note === undefined || isTombstone(note) || known === undefined) return undefined
  const { state } = known
  const isDue = state.presence === 'live' && state.settledRevision === null && state.revision === note.revision
  if (!isDue) return undefined
  const isUsed = content !== undefined && isContentOf(note, content, context.keep)
  return { note, known, startSequence, content: isUsed ? { ...content, note } : undefined }
}

/** Reads the content of a revision that an event has announced. If that fails, the content is read after its note. */
async function readAnnounced(
  note_id: string,
  revision: number,
  context: SyncContext,
): Promise<NoteWithContent | undefined> {
  return await readKeptContent({ note_id, revision }, context).catch(() => undefined)
}

async function fetchContent(read: ReadRecord, context: SyncContext): Promise<FetchedContent | undefined> {
  const { client, clock, keep } = context
  const { note } = read
  const { state } = read.known
  const requestedAt = clock.now()
  const serviceTime = client.serviceTime?.()?.getTime()
  // A wrong header `Date` must not make content count as current. This machine's clock bounds it.
  const request = { requestedAt, serviceTime: serviceTime === undefined ? null : Math.min(serviceTime, requestedAt) }
  const content = read.content ?? (await readKeptContent(note, context))
  const verdict = judgeContent(content, keep)
  if (verdict === 'settled') return settle(read, content, false, context)
  const isUnconfirmed = verdict === 'unconfirmed'
  if (isUnconfirmed && mayContentLag(state, note, request)) return settle(read, content, true, context)
  const isLastAttempt = areAttemptsUsedUp(state.attempts)
  if (!isUnconfirmed && !isLastAttempt) {
    return await retryContent(note, verdict === 'outdated' ? rereadOutdated : postponeContent, context)
  }
  if (await hasChanged(read, context)) return undefined
  // If the record's status of absent content is `ready`, one of the two reads may lag.
  if (lacksReadyPart(content, keep) && !isLastAttempt) return await retryContent(note, postponeContent, context)
  return settle(read, withoutOutdated(content), false, context)
}

/** Reads a note again after its content, and applies the answer if the note has changed. */
async function hasChanged({ note, startSequence }: ReadRecord, context: SyncContext): Promise<boolean> {
  const request = { start: startSequence, requestedAt: context.clock.now() }
  const again = await findNote(note.note_id, context)
  if (again !== undefined && isSameRecord(note, again)) return false
  await applyAnswer(note.note_id, again, request, context)
  return true
}

/** @param mayLag  whether the content may belong to an older revision: then it is shown now, and read again later */
function settle(
  { known }: ReadRecord,
  content: NoteWithContent,
  mayLag: boolean,
  { clock, keep }: SyncContext,
): FetchedContent {
  const read = { asOf: known.state.evidence?.end, mayLag }
  return { known, decide: (latest) => applyLateContent(latest, content, read, keep, clock.now()) }
}

async function retryContent(
  { note_id }: Note,
  retry: (state: NoteState, now: number, sequence: number) => Decision,
  context: SyncContext,
): Promise<undefined> {
  await revise(note_id, context, (state, { sequence }) => retry(state, context.clock.now(), sequence))
}

/** Reads the parts that the mirror keeps. The key may not have the scope to read the others. */
async function readKeptContent(note: Note, { client, keep, signal }: SyncContext): Promise<NoteWithContent> {
  const requested = {
    ...note,
    ...(keep.has('transcript') ? {} : { transcript_status: 'empty' }),
    ...(keep.has('summary') ? {} : { summary_status: 'missing' }),
  }
  return { ...(await client.notes.content(requested, { signal })), note }
}

/** @returns `undefined` if it is proven that the key can access no such note */
async function findNote(noteId: string, { client, signal }: SyncContext): Promise<Note | undefined> {
  return await client.notes.find(noteId, { signal })
}

async function applyAnswer(
  noteId: string,
  note: Note | undefined,
  request: Pick<ReadStamp, 'start' | 'requestedAt'>,
  context: SyncContext,
): Promise<VersionedState | undefined> {
  const { clock, hooks, keep } = context
  let isRepeated = false
  const revised = await revise(noteId, context, (state, { sequence: end, progress }) => {
    isRepeated = state.contradictedSince !== null
    const { startSequence: fullListingStartSequence } = progress.fullListing ?? progress.lastFullListing ?? {}
    const stamp: ReadStamp = { ...request, end, source: 'read', at: clock.now(), fullListingStartSequence }
    return applyRead(state, note, stamp, { keep })
  })
  if (revised !== undefined && revised.state.contradictedSince !== null) hooks.onContradiction({ noteId, isRepeated })
  return revised
}

async function revise(
  noteId: string,
  { ledger }: SyncContext,
  decide: Parameters<typeof eachNote>[1],
): Promise<VersionedState | undefined> {
  const { writes } = await ledger.commit(eachNote([noteId], decide))
  const write = writes.get(noteId)
  return write && afterWrite(write)
}

function isSameRecord(one: Note, other: Note): boolean {
  return (
    !isTombstone(other) &&
    one.revision === other.revision &&
    (one.transcript_status ?? null) === (other.transcript_status ?? null) &&
    (one.summary_status ?? null) === (other.summary_status ?? null)
  )
}

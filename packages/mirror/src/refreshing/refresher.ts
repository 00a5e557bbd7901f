import type { NoteWithContent } from '@notewire/client'
import { isTombstone, type Note } from '@notewire/protocol'
import type { SyncContext } from '../context/sync-context.ts'
import { callHook } from '../interfaces/mirror-hooks.ts'
import type { NoteState } from '../interfaces/note-state.ts'
import type { DueNote, VersionedState } from '../interfaces/store.ts'
import type { Decide, KnownNote } from '../ledger/ledger.ts'
import { areAttemptsUsedUp } from '../rules/backoff.ts'
import {
  applyLateContent,
  hasUnexpectedPart,
  judgeContent,
  lacksReadyPart,
  mayContentLag,
  postponeContent,
  rereadOutdated,
  withContent,
  withoutOutdated,
} from '../rules/content-rule.ts'
import type { Decision, ReadStamp } from '../rules/decision.ts'
import type { KeptParts } from '../rules/keep.ts'
import { applyRead } from '../rules/read-rule.ts'

/** A record whose content must be read, and the state of its note at that time. */
interface ReadRecord {
  readonly note: Note
  readonly state: NoteState
  /** The sequence number before the first request for this note. */
  readonly start: number
  /** The note as it was taken; absent if it was read since. */
  readonly known?: VersionedState | undefined
}

/**
 * Brings one note up to date: reads it if it is dirty, and its transcript and summary if they are due.
 *
 * @param start  the sequence number before the first request for this note
 * @returns the note, if its content was read and is not written yet
 */
export async function refresh(
  { state, version, note }: DueNote,
  start: number,
  context: SyncContext,
): Promise<KnownNote | undefined> {
  const record = state.dirty === null ? note && { note, state, start, known: { state, version } } : undefined
  const read = record === undefined ? await readDirty(state, start, context) : record
  return read == null ? undefined : await refreshContent(read, context)
}

/** @returns the record, if its content is due now */
async function readDirty(before: NoteState, start: number, context: SyncContext): Promise<ReadRecord | undefined> {
  const { noteId } = before
  const { clock, keep } = context
  const request = { start, requestedAt: clock.now() }
  const [note, early] = await Promise.all([context.readNote(noteId), readAnnounced(before, context)])
  const state = await applyAnswer(noteId, note, request, context, (decision, now) => {
    if (note === undefined || early === undefined) return decision
    const isOfThisRead = decision.state.evidence?.start === start
    return isOfThisRead && isContentOf(note, early, keep)
      ? withContent(decision, { ...early, note }, keep, now)
      : decision
  })
  if (note === undefined || isTombstone(note) || state === undefined) return undefined
  const isDue = state.presence === 'live' && state.settledRevision === null && state.revision === note.revision
  return isDue ? { note, state, start } : undefined
}

/** Reads announced content at the same time as its note. The content is used if it belongs to the note's revision. */
async function readAnnounced({ noteId, hintedRevision, revision }: NoteState, context: SyncContext) {
  if (hintedRevision === null || hintedRevision <= (revision ?? -1)) return undefined
  return await readKeptContent({ note_id: noteId, revision: hintedRevision }, context).catch(() => undefined)
}

async function refreshContent(read: ReadRecord, context: SyncContext): Promise<KnownNote | undefined> {
  const { client, clock, keep } = context
  const { note, state } = read
  const request = { requestedAt: clock.now(), serviceTime: client.serviceTime?.()?.getTime() ?? null }
  const content = await readKeptContent(note, context)
  const verdict = judgeContent(content, keep)
  if (verdict === 'settled') return await settle(read, content, false, context)
  const isUnconfirmed = verdict === 'unconfirmed'
  if (isUnconfirmed && mayContentLag(state, note, request)) return await settle(read, content, true, context)
  const isLastAttempt = areAttemptsUsedUp(state.attempts)
  if (!isUnconfirmed && !isLastAttempt) {
    return await retryContent(note, verdict === 'outdated' ? rereadOutdated : postponeContent, context)
  }
  if (await hasChanged(read, context)) return undefined
  // If the record's status of absent content is `ready`, one of the two reads may lag.
  if (lacksReadyPart(content, keep) && !isLastAttempt) return await retryContent(note, postponeContent, context)
  return await settle(read, withoutOutdated(content), false, context)
}

/** Reads a note again after its content, and applies the answer if the note has changed. */
async function hasChanged({ note, start }: ReadRecord, context: SyncContext): Promise<boolean> {
  const request = { start, requestedAt: context.clock.now() }
  const again = await context.readNote(note.note_id)
  if (again !== undefined && isSameRecord(note, again)) return false
  // If the note must be read again, any worker may take it now.
  await applyAnswer(note.note_id, again, request, context, dueAtOnce)
  return true
}

/**
 * Writes content, unless the note is known: then other notes are written in the same commit.
 *
 * @param mayLag  whether the content may belong to an older revision: then it is shown now, and read again later
 */
async function settle(
  { state, known }: ReadRecord,
  content: NoteWithContent,
  mayLag: boolean,
  context: SyncContext,
): Promise<KnownNote | undefined> {
  const { clock, keep } = context
  const read = { asOf: state.evidence?.end, mayLag }
  const decide = (state: NoteState) => applyLateContent(state, content, read, keep, clock.now())
  if (known !== undefined) return { ...known, decide }
  await revise(content.note.note_id, context, decide)
  return undefined
}

async function retryContent(
  { note_id }: Note,
  retry: (state: NoteState, now: number, sequence: number) => Decision,
  context: SyncContext,
): Promise<undefined> {
  await revise(note_id, context, (state, sequence) => retry(state, context.clock.now(), sequence))
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

async function applyAnswer(
  noteId: string,
  note: Note | undefined,
  request: Pick<ReadStamp, 'start' | 'requestedAt'>,
  context: SyncContext,
  amend: (decision: Decision, now: number) => Decision,
): Promise<NoteState | undefined> {
  const { clock, hooks, keep } = context
  const revised = await revise(noteId, context, (state, end, { scan, lastScan }) => {
    const scanStartedAt = (scan ?? lastScan)?.startedAt
    const stamp: ReadStamp = { ...request, end, source: 'read', at: clock.now(), scanStartedAt }
    return amend(applyRead(state, note, stamp, { keep }), stamp.at)
  })
  if (revised !== undefined && revised.contradictedSince !== null) callHook(hooks.onContradiction, { noteId })
  return revised
}

function dueAtOnce(decision: Decision, now: number): Decision {
  return { ...decision, state: { ...decision.state, dueAt: decision.state.dueAt === null ? null : now } }
}

async function revise(noteId: string, { ledger }: SyncContext, decide: Decide): Promise<NoteState | undefined> {
  return (await ledger.revise([noteId], decide)).get(noteId)?.state
}

/** Whether content that was read at the same time as a note is settled for the note's record. */
function isContentOf(note: Note, early: NoteWithContent, keep: KeptParts): boolean {
  const content = { ...early, note }
  return !hasUnexpectedPart(content) && judgeContent(content, keep) === 'settled'
}

function isSameRecord(one: Note, other: Note): boolean {
  return (
    !isTombstone(other) &&
    one.revision === other.revision &&
    (one.transcript_status ?? null) === (other.transcript_status ?? null) &&
    (one.summary_status ?? null) === (other.summary_status ?? null)
  )
}

import { isTombstone, type Note, type NoteEvent } from '@notewire/protocol'
import type { CurrentNote, NotePart } from './current-note.ts'
import type { FetchedNote } from './fetch-note.ts'
import type { NotCurrent } from './note-not-current-error.ts'

/** How long the service's replicas may lag: within this time after an event, older data proves nothing (open point 36). */
const LAG_MS = 60_000
/** After this time, an event is applied with what exists. */
const PATIENCE_MS = 3_600_000

/** An event after which the current note is fetched. */
export type ChangeEvent = Exclude<NoteEvent, { readonly event_type: 'note.deleted' }>

/** What was applied to the note before. */
export interface AppliedNote {
  /** `undefined` if only deletions without a revision were applied. */
  readonly revision: number | undefined
  /** Whether the note counts as deleted. */
  readonly deleted: boolean
  /** Whether the deletion had no revision (open point 38). */
  readonly deletedAtAnyRevision?: boolean | undefined
  /** The kinds of the events that were applied at this revision, each with its recording session, if it has one. */
  readonly seen: readonly string[]
}

/** What {@link judgeNote} knows besides the event and the note. */
export interface Circumstances {
  readonly applied: AppliedNote | undefined
  /** How long ago the event occurred, in milliseconds by the service's clock; `undefined` if the event does not say. */
  readonly ageMs: number | undefined
  /** Whether the service is known to report revisions of content that are lower than the note's (open points 9 and 10). */
  readonly contentHasOwnRevision: boolean
}

/** What to do with a fetched note. */
export type Judgement =
  /** @param incomplete  what the service announced and still does not return after an hour */
  | { readonly step: 'change'; readonly current: CurrentNote; readonly incomplete: NotCurrent | undefined }
  | { readonly step: 'remove'; readonly reason: 'deleted' | 'not_found'; readonly revision: number | undefined }
  | { readonly step: 'retry'; readonly missing: NotCurrent }
  /** A newer state was applied before: the note would move back. */
  | { readonly step: 'skip' }

/** Decides what follows from an event and from what the REST API returned after it. */
export function judgeNote(event: ChangeEvent, fetched: FetchedNote, circumstances: Circumstances): Judgement {
  const { applied, ageMs } = circumstances
  if (fetched.status === 'not_found') {
    if (!isLater(ageMs)) return { step: 'retry', missing: 'note' }
    return { step: 'remove', reason: 'not_found', revision: undefined }
  }
  const { note } = fetched
  if (isTombstone(note)) return { step: 'remove', reason: 'deleted', revision: note.revision }
  const missing = missingIn(event, fetched, circumstances)
  const isPatient = ageMs !== undefined && ageMs <= PATIENCE_MS
  if (missing !== undefined && isPatient) return { step: 'retry', missing }
  if (note.revision < (applied?.revision ?? 0)) return { step: 'skip' }
  return { step: 'change', current: fetched, incomplete: missing }
}

/** Returns what was announced and is not there, the most important first. */
function missingIn(event: ChangeEvent, current: CurrentNote, circumstances: Circumstances): NotCurrent | undefined {
  const { applied, ageMs } = circumstances
  if (current.note.revision < event.data.revision) return 'revision'
  // Soon after a deletion, a replica may still return the note.
  if (applied?.deleted && !isLater(ageMs) && mayPrecede(current.note, applied)) return 'deletion'
  return (['transcript', 'summary'] as const).find((part) => isMissing(part, event, current, circumstances))
}

/** Whether a record may be older than the deletion that was applied. */
function mayPrecede(note: Note, { revision, deletedAtAnyRevision }: AppliedNote): boolean {
  return revision === undefined || deletedAtAnyRevision === true || note.revision <= revision
}

function isMissing(part: NotePart, event: ChangeEvent, current: CurrentNote, circumstances: Circumstances): boolean {
  const content = current[part]
  if (content.status === 'pending') {
    // The newer record says that the part is not ready any more: another recording session has begun.
    const isOutdated = current.note.revision > event.data.revision && current.note[`${part}_status`] === 'pending'
    const isAnnounced =
      current.note[`${part}_status`] === 'ready' || isAnnouncedUpTo(event, part, circumstances.applied)
    return !isOutdated && isAnnounced
  }
  if (content.status !== 'ready' || isLater(circumstances.ageMs)) return false
  const { revision } = content
  if (revision === undefined || revision === null || revision >= current.note.revision) return false
  return !circumstances.contentHasOwnRevision || (isAnnouncedBy(event, part) && revision < event.data.revision)
}

/** Whether an event said that a part is ready: this one, or one that was applied at the same revision. */
function isAnnouncedUpTo(event: ChangeEvent, part: NotePart, applied: AppliedNote | undefined): boolean {
  if (event.data[`${part}_status`] === 'ready' || isAnnouncedBy(event, part)) return true
  return applied?.revision === event.data.revision && applied.seen.some((seen) => seen.startsWith(ANNOUNCING[part]))
}

function isAnnouncedBy(event: ChangeEvent, part: NotePart): boolean {
  return event.event_type === ANNOUNCING[part]
}

const ANNOUNCING: Readonly<Record<NotePart, string>> = {
  transcript: 'note.ended',
  summary: 'note.summary.generated',
}

/**
 * Whether so much time has passed since an event that a replica cannot lag behind it. An event that does not say when it occurred counts as
 * late, because otherwise its deliveries would fail until the service disables the endpoint.
 */
export function isLater(ageMs: number | undefined): boolean {
  return ageMs === undefined || ageMs >= LAG_MS
}

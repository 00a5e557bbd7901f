import type { NoteState, Presence } from '../notes/note-state.ts'
import { endOfLag } from '../rules/time.ts'

/** Why the mirror shows a note, or does not. */
export interface Explanation {
  readonly noteId: string
  readonly presence: Presence | 'unknown'
  /** The reasons, as sentences for people. They contain no note content. */
  readonly reasons: readonly string[]
  /** The stored state of the note, without its content. */
  readonly state: NoteState | undefined
}

export function explain(noteId: string, state: NoteState | undefined): Explanation {
  if (state === undefined) {
    return { noteId, presence: 'unknown', reasons: ['No listing, read or event has ever named this note.'], state }
  }
  const reasons = [
    presenceOf(state),
    evidenceOf(state),
    heardOf(state),
    floorOf(state),
    contradictionOf(state),
    workOf(state),
    contentOf(state),
  ]
  return { noteId, presence: state.presence, reasons: reasons.filter((reason) => reason !== undefined), state }
}

function presenceOf({ presence, evidence, hiddenSequence, heldByFullListing, revision }: NoteState): string {
  switch (presence) {
    case 'live':
      return `It is shown, at revision ${revision}.`
    case 'gone':
      return 'It is gone: a read proved that the key cannot see it. Its content is erased.'
    case 'hidden':
      if (heldByFullListing !== null) {
        return `It is hidden: full listing ${heldByFullListing} found more missing notes than it is allowed to remove. It stays hidden until you accept the removals of this full listing.`
      }
      if (hiddenSequence !== null)
        return 'It is hidden: an event announced its removal, and no later read has confirmed or refuted that yet.'
      return evidence === null
        ? 'It is not shown: an event named it, but the mirror has not read it yet.'
        : 'It is not shown: the mirror has not been able to read it yet.'
  }
}

const SOURCES = {
  backfill: 'the first listing',
  poll: 'a poll',
  'full-listing': 'a full listing',
  read: 'a read of this note',
}

function evidenceOf({ evidence }: NoteState): string | undefined {
  if (evidence === null) return undefined
  const { says, source, at, start, end } = evidence
  return `Last checked ${timeOf(at)} by ${SOURCES[source]}, which found it ${says} (sequence ${start} to ${end}).`
}

function heardOf({ heard }: NoteState): string | undefined {
  if (heard === null) return undefined
  const revision = heard.revision === null ? '' : ` at revision ${heard.revision}`
  return `The last event about it was ${heard.kind}${revision}, ${timeOf(heard.at)}.`
}

function floorOf({ floor }: NoteState): string | undefined {
  if (floor === null) return undefined
  const until = timeOf(endOfLag(floor.at))
  if (floor.revision === null || floor.unrevisedAt !== null) {
    return `Its deletion was announced, ${timeOf(floor.at)}: only a read that begins at ${until} or later shows it again.`
  }
  return `Its deletion was announced at revision ${floor.revision}, ${timeOf(floor.at)}: only a later revision, or a read at revision ${floor.revision} that begins at ${until} or later, shows it again.`
}

function contradictionOf({ contradictedSince, floor }: NoteState): string | undefined {
  if (contradictedSince === null) return undefined
  const accepted =
    floor === null
      ? 'The mirror accepts the lower revision after about eight and a half minutes.'
      : 'A full listing that begins a day after the event accepts the lower revision.'
  return `Since ${timeOf(contradictedSince)} the service shows a lower revision than before: it lags behind, or was restored from a backup. ${accepted}`
}

function workOf({ readAfterSequence, hintedRevision, attempts, failures, dueAt }: NoteState): string | undefined {
  if (readAfterSequence === null) return undefined
  const hinted = hintedRevision === null ? '' : ` to get revision ${hintedRevision} or later`
  const count = attempts + failures
  const tried = count === 0 ? '' : `, after ${count} ${count === 1 ? 'attempt' : 'attempts'}`
  return `The mirror will read it again${hinted}${tried}${dueAt === null ? '' : `, at ${timeOf(dueAt)} or later`}.`
}

function contentOf({ presence, settledRevision, transcriptOutcome, summaryOutcome }: NoteState): string | undefined {
  if (presence !== 'live') return undefined
  if (settledRevision === null) return 'The mirror has not read its transcript and summary yet.'
  return `Its content is that of revision ${settledRevision}: transcript ${transcriptOutcome ?? 'not kept'}, summary ${summaryOutcome ?? 'not kept'}.`
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}

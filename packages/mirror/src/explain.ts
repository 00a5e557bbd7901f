import type { NoteState, Presence } from './rules/note-state.ts'

/** Why a note is in the mirror, or not. */
export interface Explanation {
  readonly noteId: string
  readonly presence: Presence | 'unknown'
  /** The reasons, in sentences for a person. They hold no content. */
  readonly reasons: readonly string[]
  /** Everything that is known of the note but its content. */
  readonly state: NoteState | undefined
}

/** Explains a note by the evidence. */
export function explain(noteId: string, state: NoteState | undefined): Explanation {
  if (state === undefined) {
    return { noteId, presence: 'unknown', reasons: ['No listing, read or event has ever named this note.'], state }
  }
  const reasons = [presenceOf(state), evidenceOf(state), heardOf(state), workOf(state), contentOf(state)]
  return { noteId, presence: state.presence, reasons: reasons.filter((reason) => reason !== undefined), state }
}

function presenceOf({ presence, evidence, hiddenBy, heldByScan, revision }: NoteState): string {
  switch (presence) {
    case 'live':
      return `It is shown, at revision ${revision}.`
    case 'gone':
      return 'It is gone: a read proved that the key cannot see it. Its content is erased.'
    case 'hidden':
      if (heldByScan !== null) {
        return `It is hidden: scan ${heldByScan} found more notes missing than it may remove. mirror.acceptRemovals('${heldByScan}') erases them.`
      }
      if (hiddenBy !== null)
        return 'It is hidden: an event said that it is gone, and no read that began after it has settled that.'
      return evidence === null
        ? 'It is not shown: an event named it, and nobody has read it yet.'
        : 'It is not shown: it could not be read so far.'
  }
}

const SOURCES = {
  backfill: 'the first listing',
  poll: 'a poll',
  scan: 'a full scan',
  read: 'a read of this note',
}

function evidenceOf({ evidence }: NoteState): string | undefined {
  if (evidence === null) return undefined
  const { says, source, at, start, end } = evidence
  return `Last settled ${timeOf(at)} by ${SOURCES[source]}, which found it ${says} (sequence ${start} to ${end}).`
}

function heardOf({ heard }: NoteState): string | undefined {
  if (heard === null) return undefined
  const revision = heard.revision === null ? '' : ` at revision ${heard.revision}`
  return `The last event that spoke of it was ${heard.kind}${revision}, ${timeOf(heard.at)}.`
}

function workOf({ dirty, hintedRevision, attempts, dueAt }: NoteState): string | undefined {
  if (dirty === null) return undefined
  const hinted = hintedRevision === null ? '' : `, to revision ${hintedRevision} at least`
  const tried = attempts === 0 ? '' : ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
  return `It is to be read again${hinted}${tried}${dueAt === null ? '' : `, from ${timeOf(dueAt)} on`}.`
}

function contentOf({ presence, settledRevision, transcriptHeld, summaryHeld }: NoteState): string | undefined {
  if (presence !== 'live') return undefined
  if (settledRevision === null) return 'Its transcript and summary are still to be read.'
  return `Its content is that of revision ${settledRevision}: transcript ${transcriptHeld ?? 'not kept'}, summary ${summaryHeld ?? 'not kept'}.`
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}

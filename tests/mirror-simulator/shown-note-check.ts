import type { MirroredNote } from '@notewire/mirror'
import type { NoteModel } from './note-model.ts'
import type { Scenario } from './scenario.ts'

/** Compares the title and the settled content of a shown note with the model. Returns the first difference in words. */
export function findMismatch(note: NoteModel, shown: MirroredNote, scenario: Scenario): string | undefined {
  const { revision, title } = shown.note
  const trueTitle = note.titleAt(revision)
  if (title !== undefined && title !== trueTitle) {
    return `has the title "${title}" at revision ${revision}, which is "${trueTitle}"`
  }
  if (!shown.isSettled || !isContentDated(scenario)) return undefined
  return findTranscriptMismatch(note, shown, scenario) ?? findSummaryMismatch(note, shown, scenario)
}

/** Whether settled content must match its revision. Content without a revision is dated by the reads before and after it, which may be stale. */
function isContentDated({ contract, rates }: Scenario): boolean {
  return (contract.contentRevision ?? 'current') === 'current' || rates.staleAnswer === 0
}

/** Whether the content may belong to a later revision: with lagging replicas, the record may be older than content without a revision. */
function mayBeLater(note: NoteModel, revision: number, text: string | null, scenario: Scenario): boolean {
  const isUndated = (scenario.contract.contentRevision ?? 'current') !== 'current'
  return scenario.lagsMs.length > 0 && isUndated && note.contentAfter(revision).includes(text)
}

function findTranscriptMismatch(note: NoteModel, shown: MirroredNote, scenario: Scenario): string | undefined {
  if (!scenario.keep.includes('transcript')) return undefined
  const { revision, transcript_status } = shown.note
  const words = note.transcriptAt(revision) ?? ''
  const text = shown.transcript?.text
  if ((text ?? '') === words || (text === undefined && mayMiss(note, transcript_status, scenario))) return undefined
  if (mayBeLater(note, revision, text ?? null, scenario)) return undefined
  return `is settled at revision ${revision} with the transcript "${text}", not "${words}"`
}

function findSummaryMismatch(note: NoteModel, shown: MirroredNote, scenario: Scenario): string | undefined {
  if (!scenario.keep.includes('summary')) return undefined
  const { revision, summary_status } = shown.note
  const summaries = note.summariesAt(revision)
  const markdown = shown.summary?.markdown ?? null
  const mayBeToCome = scenario.contract.summaryRaisesRevision === false
  const isMissing = markdown === null && (mayBeToCome || mayMiss(note, summary_status, scenario))
  if (summaries.includes(markdown) || isMissing) return undefined
  if (mayBeLater(note, revision, markdown, scenario)) return undefined
  return `is settled at revision ${revision} with the summary "${markdown}", not "${summaries}"`
}

/**
 * Whether content may be missing although the session has ended: if its status is not `ready`, for a second after its event; or if the note became
 * invisible and visible again between the read of its content and the confirming read. A full listing reads it again. With lagging replicas, the same
 * happens if the note was deleted, and a replica without the deletion answers the confirming read.
 */
function mayMiss(
  { hasMoved, isDeleted }: NoteModel,
  status: string | null | undefined,
  { contract, lagsMs }: Scenario,
): boolean {
  const hasLeft = hasMoved || (lagsMs.length > 0 && isDeleted)
  return status !== 'ready' && (hasLeft || contract.eventOrder === 'any')
}

import type { MirroredNote } from '@notewire/mirror'
import type { Circumstances } from './circumstances.ts'
import type { TrueNote } from './true-note.ts'

/** What is not true of a note as the mirror shows it, in words: of its record, and of content that counts as settled. */
export function untruthOf(note: TrueNote, shown: MirroredNote, circumstances: Circumstances): string | undefined {
  const { revision, title } = shown.note
  const trueTitle = note.titleAt(revision)
  if (title !== undefined && title !== trueTitle) {
    return `has the title "${title}" at revision ${revision}, which is "${trueTitle}"`
  }
  if (!shown.isSettled || !isContentDated(circumstances)) return undefined
  return untruthOfTranscript(note, shown, circumstances) ?? untruthOfSummary(note, shown, circumstances)
}

/** Content that does not tell its revision is dated by reads before and after it, and those may lag behind. */
function isContentDated({ contract, rates }: Circumstances): boolean {
  return (contract.contentRevision ?? 'current') === 'current' || rates.staleAnswer === 0
}

/** Where replicas lag, the record may lag behind content that does not tell its revision: it is then of a later one. */
function mayBeLater(note: TrueNote, revision: number, text: string | null, circumstances: Circumstances): boolean {
  const isUndated = (circumstances.contract.contentRevision ?? 'current') !== 'current'
  return circumstances.lagsMs.length > 0 && isUndated && note.contentAfter(revision).includes(text)
}

function untruthOfTranscript(note: TrueNote, shown: MirroredNote, circumstances: Circumstances): string | undefined {
  if (!circumstances.keep.includes('transcript')) return undefined
  const { revision, transcript_status } = shown.note
  const words = note.transcriptAt(revision) ?? ''
  const text = shown.transcript?.text
  if ((text ?? '') === words || (text === undefined && mayMiss(note, transcript_status, circumstances)))
    return undefined
  if (mayBeLater(note, revision, text ?? null, circumstances)) return undefined
  return `is settled at revision ${revision} with the transcript "${text}", not "${words}"`
}

function untruthOfSummary(note: TrueNote, shown: MirroredNote, circumstances: Circumstances): string | undefined {
  if (!circumstances.keep.includes('summary')) return undefined
  const { revision, summary_status } = shown.note
  const summaries = note.summariesAt(revision)
  const markdown = shown.summary?.markdown ?? null
  const mayBeToCome = circumstances.contract.summaryRaisesRevision === false
  const isMissing = markdown === null && (mayBeToCome || mayMiss(note, summary_status, circumstances))
  if (summaries.includes(markdown) || isMissing) return undefined
  if (mayBeLater(note, revision, markdown, circumstances)) return undefined
  return `is settled at revision ${revision} with the summary "${markdown}", not "${summaries}"`
}

/**
 * Content may be missing where no status says that it is there: for a second after its event; or when the note left and came
 * back between the read of its content and the one that confirms it. A scan looks again. Where replicas lag, the same happens when the
 * note was deleted, and a replica that does not know it yet answers the read that confirms.
 */
function mayMiss(
  { hasMoved, isDeleted }: TrueNote,
  status: string | null | undefined,
  { contract, lagsMs }: Circumstances,
): boolean {
  const hasLeft = hasMoved || (lagsMs.length > 0 && isDeleted)
  return status !== 'ready' && (hasLeft || contract.eventOrder === 'any')
}

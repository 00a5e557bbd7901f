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

function untruthOfTranscript(note: TrueNote, shown: MirroredNote, circumstances: Circumstances): string | undefined {
  if (!circumstances.keep.includes('transcript')) return undefined
  const { revision, transcript_status } = shown.note
  const words = note.transcriptAt(revision) ?? ''
  const text = shown.transcript?.text
  if ((text ?? '') === words || (text === undefined && mayMiss(note, transcript_status, circumstances)))
    return undefined
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
  return `is settled at revision ${revision} with the summary "${markdown}", not "${summaries}"`
}

/**
 * Content may be missing where no status says that it is there: for a second after its event; or when the note left and came
 * back between the read of its content and the one that confirms it. A scan looks again.
 */
function mayMiss({ hasMoved }: TrueNote, status: string | null | undefined, { contract }: Circumstances): boolean {
  return status !== 'ready' && (hasMoved || contract.eventOrder === 'any')
}

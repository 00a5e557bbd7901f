import { isDeepStrictEqual } from 'node:util'
import type { Mirror, MirroredNote } from '@notewire/mirror'
import type { Note } from '@notewire/protocol'
import type { GroundTruth } from './ground-truth.ts'
import type { HistoryContext } from './history-context.ts'
import type { NoteModel } from './note-model.ts'

/**
 * Compares the notes that the mirror shows with the notes that the key can see, field by field.
 *
 * @param after  the operation after which they must be equal, for the message
 * @param isCompared  the notes that must be equal
 */
export async function compare(
  context: HistoryContext,
  mirror: Mirror,
  truth: GroundTruth,
  after: string,
  isCompared: (note: NoteModel) => boolean,
): Promise<void> {
  const { world, checker, random } = context
  const shown = new Map<string, MirroredNote>()
  for await (const note of mirror.list()) shown.set(note.note.note_id, note)
  const inFull = random.chance(0.1)
  for (const note of world.notes) {
    if (!isCompared(note)) continue
    const difference = await differenceOf(note, shown.get(note.id), truth, context, inFull)
    if (difference === undefined) continue
    const { reasons } = await mirror.explain(note.id)
    checker.violated(`After ${after}, ${note.name} ${difference}. ${reasons.join(' ')}`)
  }
  for (const noteId of shown.keys()) if (world.find(noteId) === undefined) checker.violated(`${noteId} was never made.`)
}

async function differenceOf(
  note: NoteModel,
  shown: MirroredNote | undefined,
  truth: GroundTruth,
  { scenario }: HistoryContext,
  inFull: boolean,
): Promise<string | undefined> {
  const { keep } = scenario
  const record = truth.records.get(note.id)
  if (record === undefined) return shown === undefined ? undefined : 'is shown, and cannot be seen'
  if (shown === undefined) return 'is not shown, and can be seen'
  if (!isSameRecord(shown.note, record, keep.includes('note'))) {
    return `is ${JSON.stringify(shown.note)}, and not ${JSON.stringify(record)}`
  }
  if (!shown.isSettled) return 'is not settled'
  for (const part of ['transcript', 'summary'] as const) {
    const held = shown[part]
    const expected = keep.includes(part) ? await expectedContent(note, record, part, truth, inFull) : null
    const isSame =
      inFull && wordsIn(held) !== '' ? isDeepStrictEqual(held, expected) : wordsIn(held) === wordsIn(expected)
    if (!isSame) return `has the ${part} ${JSON.stringify(held)}, and not ${JSON.stringify(expected)}`
  }
  return undefined
}

function isSameRecord(shown: Note, record: Note, inFull: boolean): boolean {
  if (inFull) return isDeepStrictEqual(shown, record)
  const { title, content, revision, transcript_status, summary_status } = shown
  return (
    title === undefined &&
    content === undefined &&
    revision === record.revision &&
    transcript_status === record.transcript_status &&
    summary_status === record.summary_status
  )
}

/** The content of the service, or of the model: they are equal, and requests take time. */
async function expectedContent(
  note: NoteModel,
  { transcript_status, summary_status }: Note,
  part: 'transcript' | 'summary',
  truth: GroundTruth,
  inFull: boolean,
): Promise<unknown> {
  if (part === 'transcript') {
    if (transcript_status === 'empty' || transcript_status === 'pending') return null
    if (inFull) return (await truth.content(note, part)) ?? null
    return { text: note.transcriptAt(note.handle.revision) ?? null }
  }
  if (summary_status === 'missing' || summary_status === 'pending') return null
  if (!inFull) return { markdown: note.lastSummary }
  const summary = (await truth.content(note, part)) as { readonly markdown: string | null } | undefined
  return summary?.markdown == null ? null : summary
}

function wordsIn(content: unknown): string {
  const { text, markdown } = (content ?? {}) as { readonly text?: string; readonly markdown?: string | null }
  return text ?? markdown ?? ''
}

import type { Note, Summary, Transcript } from '@notewire/protocol'
import type { NotePart } from './note-parts.ts'
import type { NoteState } from './note-state.ts'

export interface StoredNote {
  readonly state: NoteState
  readonly note: Note | null
  readonly transcript: Transcript | null
  readonly summary: Summary | null
}

/** The value of each part of a note, without revisions: a part has changed if its value has. */
export function partsOf({ state, note, transcript, summary }: StoredNote): Readonly<Record<NotePart, unknown>> {
  const hasTranscript = (transcript?.text ?? transcript?.segments ?? null) !== null
  return {
    title: note?.title,
    content: note?.content,
    transcript: hasTranscript ? [transcript?.text, transcript?.segments] : null,
    summary: summary?.markdown,
    statuses: [state.status, state.transcriptStatus, state.summaryStatus],
  }
}

import type { Note, Summary, Transcript } from '@notewire/protocol'

/** A part of a note whose changes consumers distinguish. `statuses` are those of the note, of its transcript and of its summary. */
export type NotePart = 'title' | 'content' | 'transcript' | 'summary' | 'statuses'

export const NOTE_PARTS: readonly NotePart[] = ['title', 'content', 'transcript', 'summary', 'statuses']

/** An object with a value for each part. */
export function eachPart<Value>(make: (part: NotePart) => Value): Record<NotePart, Value> {
  return Object.fromEntries(NOTE_PARTS.map((part) => [part, make(part)])) as Record<NotePart, Value>
}

/** A change, as a consumer gets it: a note with its content, or a removal. */
export type ConsumerChange = ContentChange | RemovalChange

/** A note that is new, changed, restored, or settled. */
export interface ContentChange {
  readonly kind: 'content'
  readonly noteId: string
  /** The record: without title and content in a mirror that does not keep them. */
  readonly note: Note
  /** `null` if there is none, or none yet. */
  readonly transcript: Transcript | null
  /** `null` if there is none, or none yet. */
  readonly summary: Summary | null
  /**
   * The parts that changed since the last change of this note that the consumer applied. All parts of a note that is new or restored; none
   * if only other fields of the record changed, or if the note became settled.
   */
  readonly parts: readonly NotePart[]
  /** SHA-256 of each part, hexadecimal; `null` for a part that is absent. Equal parts have equal hashes in every later change. */
  readonly hashes: Readonly<Record<NotePart, string | null>>
  /** Whether transcript and summary belong to the note's revision. If not, another change follows when they do. */
  readonly isSettled: boolean
}

/** A note that is gone, or that an event announced to be gone: erase what you have of it. A restored note is sent again. */
export interface RemovalChange {
  readonly kind: 'removed'
  readonly noteId: string
}

/** A part of a note whose changes consumers distinguish. `statuses` are those of the note, of its transcript and of its summary. */
export type NotePart = 'title' | 'content' | 'transcript' | 'summary' | 'statuses'

export const NOTE_PARTS = Object.keys({
  title: true,
  content: true,
  transcript: true,
  summary: true,
  statuses: true,
} satisfies Record<NotePart, true>) as readonly NotePart[]

export function eachPart<Value>(make: (part: NotePart) => Value): Record<NotePart, Value> {
  return Object.fromEntries(NOTE_PARTS.map((part) => [part, make(part)])) as Record<NotePart, Value>
}

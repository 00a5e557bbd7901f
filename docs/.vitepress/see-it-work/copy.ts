import type { Note } from '@notewire/protocol'

/** What a copy, or the service itself, has of a note. */
export interface CopiedNote {
  readonly note_id: string
  readonly title: string | null
  readonly revision: number
  readonly transcript: string | null
  readonly summary: string | null
}

/** The notes of a copy by their identifiers. */
export type Copy = Map<string, CopiedNote>

/** Makes the row of a note. A text is `null` if there is none, or if it is not ready. */
export function copiedNote(
  { note_id, title, revision }: Note,
  transcript: string | null | undefined,
  summary: string | null | undefined,
): CopiedNote {
  return { note_id, title: title ?? null, revision, transcript: transcript ?? null, summary: summary ?? null }
}

/** A difference between a copy and the service. */
export interface Difference {
  readonly note_id: string
  /** What differs, such as `is missing`. */
  readonly what: string
}

/** Compares a copy with the notes of the service. Two equal copies have no difference. */
export function differencesOf(copy: readonly CopiedNote[], service: readonly CopiedNote[]): readonly Difference[] {
  const inService = new Map(service.map((note) => [note.note_id, note]))
  const inCopy = new Set(copy.map(({ note_id }) => note_id))
  return [
    ...service.filter(({ note_id }) => !inCopy.has(note_id)).map(({ note_id }) => ({ note_id, what: 'is missing' })),
    ...copy.flatMap((note) => {
      const what = differenceOf(note, inService.get(note.note_id))
      return what === undefined ? [] : [{ note_id: note.note_id, what }]
    }),
  ]
}

function differenceOf(copied: CopiedNote, note: CopiedNote | undefined): string | undefined {
  if (note === undefined) return 'is still in the copy, but was deleted or is no longer accessible'
  if (copied.revision !== note.revision) return `has revision ${copied.revision}, but the service has ${note.revision}`
  if (copied.title !== note.title) return 'has another title'
  if (copied.transcript !== note.transcript) return 'has another transcript'
  return copied.summary === note.summary ? undefined : 'has another summary'
}

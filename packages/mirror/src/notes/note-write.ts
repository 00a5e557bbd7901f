import type { Note, Summary, Transcript } from '@notewire/protocol'
import type { NotePart } from './note-parts.ts'
import type { NoteState } from './note-state.ts'

export interface NoteWrite {
  readonly state: NoteState
  readonly expectedVersion: number
  /** Absent if the content is not changed. */
  readonly content?: ContentWrite | undefined
  /** The parts that change. The store records for each of them the position of the note, after this write. Absent if none changes. */
  readonly changed?: readonly NotePart[] | undefined
  /** Whether the note was live before this write, and is not after it. The store records the position. */
  readonly vanishes?: boolean | undefined
  /** The digests after this write. Absent if the note has no content. */
  readonly digests?: PartDigests | undefined
  /** The change that the feed shows. `appeared` also records the position at which the note became visible. */
  readonly announce?: 'appeared' | 'changed' | 'vanished' | undefined
}

/** A digest of each part of the content, to find out which parts a write changes; `null` for a part that is absent. */
export type PartDigests = Readonly<Record<Exclude<NotePart, 'statuses'>, string | null>>

export const NO_DIGESTS: PartDigests = { title: null, content: null, transcript: null, summary: null }
/** A part of a note's content: its record with title and content, its transcript, its summary. */
export type ContentPart = 'note' | 'transcript' | 'summary'

/** Which parts a mirror keeps. */
export type KeptParts = ReadonlySet<ContentPart>

/** A change of a note's content: of the named parts, or of all. */
export type ContentWrite = 'erase' | ContentParts

/** Parts of a note's content. `null` erases a part. */
export interface ContentParts {
  readonly note?: Note | null | undefined
  readonly transcript?: Transcript | null | undefined
  readonly summary?: Summary | null | undefined
}

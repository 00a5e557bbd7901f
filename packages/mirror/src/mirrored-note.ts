import type { Note, Summary, Transcript } from '@notewire/protocol'
import type { StoredNote } from './stores/store.ts'

/** A note of the mirror. */
export interface MirroredNote {
  /** The record, as the service showed it: without title and content in a mirror that does not keep them. */
  readonly note: Note
  /** `null` where there is none, or none yet. */
  readonly transcript: Transcript | null
  /** `null` where there is none, or none yet. */
  readonly summary: Summary | null
  /** Whether transcript and summary are those of the note's revision. They are older, or missing, until they are read. */
  readonly isSettled: boolean
}

/** What is shown of a stored note: `undefined` when it is not to be seen. */
export function mirroredNote({ state, note, transcript, summary }: StoredNote): MirroredNote | undefined {
  if (state.presence !== 'live' || note === null) return undefined
  return { note, transcript, summary, isSettled: state.settledRevision === state.revision && state.dirty === null }
}

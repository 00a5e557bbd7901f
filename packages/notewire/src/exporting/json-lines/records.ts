import type { MirrorChange, MirroredNote } from '@notewire/mirror'

/** How every line begins: a file that does not begin so was not written by export. */
export const BEGINNING = '{"change":"'

/** A note with all that is there of it, as it is now. */
export function noteRecord({ kind, noteId, position }: MirrorChange, found: MirroredNote): object {
  const { note, summary, transcript, isSettled } = found
  const change = kind === 'hidden' || kind === 'removed' ? 'restored' : kind
  return { change, note_id: noteId, position, complete: isSettled, note, summary, transcript }
}

/** A note that is gone. */
export function goneRecord({ kind, noteId, position }: MirrorChange): object {
  return { change: kind === 'hidden' ? kind : 'removed', note_id: noteId, position }
}

import type { NoteOwner } from '@notewire/protocol'

/** Where a note is: among the owner's personal notes, or in the channel of this identifier (contract §1). */
export type Place = 'personal' | (string & {})

/** A place, as a note resource shows it. */
export function ownerOf(place: Place): NoteOwner {
  return place === 'personal' ? { type: 'personal' } : { type: 'channel', channel_id: place }
}

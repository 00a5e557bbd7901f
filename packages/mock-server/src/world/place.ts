import type { NoteOwner } from '@notewire/protocol'

/** The place of a note: the personal notes, or the channel with this identifier (contract §1). */
export type Place = 'personal' | (string & {})

/** The owner field of a note resource. */
export function ownerOf(place: Place): NoteOwner {
  return place === 'personal' ? { type: 'personal' } : { type: 'channel', channel_id: place }
}

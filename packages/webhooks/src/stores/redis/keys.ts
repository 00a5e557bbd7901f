import type { ClaimRequest } from '../../interfaces/store.ts'

/** The keys of a claim: the key of its event and, if it has a note, the key of its note. */
export function keysOf({ integration, eventId, note }: ClaimRequest): readonly string[] {
  const tag = hashTag(integration)
  const event = `${tag}:event:${eventId}`
  return note === undefined ? [event] : [event, `${tag}:note:${note.noteId}`]
}

/** The key of an event. */
export function eventKey(integration: string, eventId: string): string {
  return `${hashTag(integration)}:event:${eventId}`
}

// All keys of an integration are in one slot of a cluster, because one commit writes the keys of an event and its note. The slot cannot
// depend on the note, because `forget` knows no note id. A hash tag ends at the first closing brace, and must not be empty.
function hashTag(integration: string): string {
  return `{notewire:${integration.replaceAll(/[%{}]/g, (character) => encodeURIComponent(character))}}`
}

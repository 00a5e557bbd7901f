import type { ClaimRequest } from '../../interfaces/store.ts'

/** The keys that a claim is about: its event's, and its note's where it has one. */
export function keysOf({ integration, eventId, note }: ClaimRequest): readonly string[] {
  const event = eventKey(integration, eventId)
  return note === undefined ? [event] : [event, `${hashTag(integration)}:note:${note.noteId}`]
}

/** What is known of an event. */
export function eventKey(integration: string, eventId: string): string {
  return `${hashTag(integration)}:event:${eventId}`
}

// The whole integration is in one slot of a cluster: a commit touches an event and its note, and `forget` knows no note. The tag
// ends at the first brace, and must not be empty.
function hashTag(integration: string): string {
  return `{notewire:${integration.replaceAll(/[%{}]/g, (character) => encodeURIComponent(character))}}`
}

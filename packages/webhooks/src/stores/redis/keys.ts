import type { ClaimRequest } from '../../interfaces/store.ts'

/** The keys that a claim is about: its event's, and its note's where it has one. */
export function keysOf({ scope, eventId, note }: ClaimRequest): readonly string[] {
  const event = eventKey(scope, eventId)
  return note === undefined ? [event] : [event, `${hashTag(scope)}:note:${note.noteId}`]
}

/** What is known of an event. */
export function eventKey(scope: string, eventId: string): string {
  return `${hashTag(scope)}:event:${eventId}`
}

// The whole scope is in one slot of a cluster: a commit touches an event and its note, and `forget` knows no note. The tag
// ends at the first brace, and must not be empty.
function hashTag(scope: string): string {
  return `{notewire:${scope.replaceAll(/[%{}]/g, (character) => encodeURIComponent(character))}}`
}

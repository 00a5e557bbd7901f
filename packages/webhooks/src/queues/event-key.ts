import { hash } from 'node:crypto'

/**
 * The deduplication key of an event in a queue. A hash, because engines limit the length of keys, and an `event_id` may contain any
 * character.
 */
export function eventKey(integration: string, eventId: string): string {
  return hash('sha256', JSON.stringify([integration, eventId]))
}

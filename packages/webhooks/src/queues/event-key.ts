/** The key by which an engine recognises an event that it already has. The id of an integration contains no slash. */
export function eventKey(integration: string, eventId: string): string {
  return `${integration}/${eventId}`
}

import type { WebhookEvent } from '@notewire/protocol'

// In the output of `JSON.stringify`: an escaped backslash, or a character that `jsonb` rejects.
const BACKSLASH_OR_UNSTORABLE = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g

/**
 * The event as `jsonb` can store it: U+FFFD takes the place of NUL and of lone surrogates. Otherwise PostgreSQL would refuse the
 * event each time that the service sends it, and the failures would disable the endpoint. Identifiers hold neither.
 */
export function storableEvent(event: WebhookEvent): WebhookEvent {
  const json = JSON.stringify(event)
  const storable = json.replace(BACKSLASH_OR_UNSTORABLE, (found) => (found === '\\\\' ? found : '\ufffd'))
  return storable === json ? event : JSON.parse(storable)
}

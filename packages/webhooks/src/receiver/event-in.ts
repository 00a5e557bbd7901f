import { readEvent, ShapeError, type WebhookEvent } from '@notewire/protocol'

/** An event, or what is wrong instead, in words that quote nothing of the body. */
type EventReading =
  | { readonly status: 'read'; readonly event: WebhookEvent }
  | { readonly status: 'malformed'; readonly problem: string }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads the event from a verified body (contract §6). */
export function eventIn(body: Uint8Array): EventReading {
  try {
    const event = readEvent(JSON.parse(utf8.decode(body)))
    return { status: 'read', event }
  } catch (error) {
    const problem = error instanceof ShapeError ? error.message : 'the webhook body is not JSON in UTF-8.'
    return { status: 'malformed', problem }
  }
}

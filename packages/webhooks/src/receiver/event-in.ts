import { readEvent, ShapeError, type WebhookEvent } from '@notewire/protocol'

/**
 * Reads the event from a verified body (contract §6).
 *
 * @returns what is wrong instead, in words that quote nothing of the body
 */
export function eventIn(body: Uint8Array): WebhookEvent | { readonly malformed: string } {
  try {
    return readEvent(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)))
  } catch (error) {
    return { malformed: error instanceof ShapeError ? error.message : 'the webhook body is not JSON in UTF-8.' }
  }
}

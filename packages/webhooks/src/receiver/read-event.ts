import type { WebhookEvent } from '@notewire/protocol'
import { parseEvent, ShapeError } from '@notewire/protocol/schemas'

/**
 * Reads the event from a verified body (contract §6).
 *
 * @returns what is wrong instead, in words that quote nothing of the body
 */
export function readEvent(body: Uint8Array): WebhookEvent | { readonly malformed: string } {
  try {
    return parseEvent(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)))
  } catch (error) {
    return { malformed: error instanceof ShapeError ? error.message : 'the webhook body is not JSON in UTF-8.' }
  }
}

import { type EventReading, ShapeError } from '@notewire/protocol'
import { readEventWithDrift } from '@notewire/protocol/schemas'

/** An event and where it differs from the contract, or what is wrong with it. `problem` never quotes the body. */
export type EventIn =
  | ({ readonly status: 'read' } & EventReading)
  | { readonly status: 'malformed'; readonly problem: string; readonly path: string }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads the event from a verified body (contract §6). */
export function eventIn(body: Uint8Array): EventIn {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch {
    return { status: 'malformed', problem: 'the webhook body is not JSON in UTF-8.', path: '' }
  }
  return eventFrom(value)
}

/** Reads an event from a parsed body, or from the argument of `process`. */
export function eventFrom(value: unknown): EventIn {
  try {
    const { event, drift } = readEventWithDrift(value)
    return { status: 'read', event, drift }
  } catch (error) {
    if (error instanceof ShapeError) return { status: 'malformed', problem: error.message, path: error.path }
    return { status: 'malformed', problem: 'the event could not be read.', path: '' }
  }
}

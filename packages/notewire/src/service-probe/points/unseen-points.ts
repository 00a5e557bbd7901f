import { type ProbedPoint, unseen } from '../point.ts'

const NEEDS_RECEIVER = 'it takes a receiver: run `notewire listen` and watch what arrives'
const NEEDS_OWNER = 'it takes somebody who edits and deletes notes meanwhile'
const OURS = 'it is about receivers, not about the service'

const BEYOND: readonly (readonly [row: number, title: string, why: string])[] = [
  [11, 'data of endpoint.* events', NEEDS_RECEIVER],
  [12, 'data.reason outside of note.deleted', NEEDS_RECEIVER],
  [16, 'failures that disable an endpoint', NEEDS_RECEIVER],
  [17, 'events for an endpoint that is not active', NEEDS_RECEIVER],
  [18, 'state after a change of the URL', NEEDS_RECEIVER],
  [19, 'webhook-id of retries', NEEDS_RECEIVER],
  [20, 'which changes raise the revision', NEEDS_OWNER],
  [21, 'debounce of note.updated', NEEDS_OWNER],
  [25, 'largest body that a receiver accepts', OURS],
  [26, 'unknown event kinds', OURS],
  [27, 'when the first verification comes', NEEDS_RECEIVER],
  [28, 'a note that becomes visible', NEEDS_OWNER],
  [29, 'what may precede note.ended', NEEDS_OWNER],
  [30, 'what channel keys see', NEEDS_OWNER],
]

/** The open points that nobody sees by asking. */
export function pointsBeyondAsking(): readonly ProbedPoint[] {
  return BEYOND.map(([row, title, why]) => unseen({ row, title }, why))
}

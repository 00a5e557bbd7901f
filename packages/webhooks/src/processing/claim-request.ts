import {
  isEndpointEvent,
  isNoteEvent,
  type NoteEvent,
  OptionError,
  parseTime,
  type WebhookEvent,
} from '@notewire/protocol'
import type { GateMode, NoteChange } from '../interfaces/revision-gate.ts'
import type { ClaimedNote, ClaimRequest } from '../interfaces/store.ts'

/**
 * How long a claim is valid without a renewal. Shorter than the delay of the service's first retry, so that this retry can claim the event
 * of a crashed process.
 */
export const LEASE_MS = 20_000

/** What a store needs to decide on an event. */
export function claimRequestOf(
  event: WebhookEvent,
  integration: string,
  hasHandler: boolean,
  { revisionGate, dedupWindowMs }: { readonly revisionGate: GateMode; readonly dedupWindowMs: number },
): ClaimRequest {
  return {
    integration,
    eventId: event.event_id,
    // An event without a handler does not claim its note: it need not wait for it, and raising the note's revision would make handled
    // events stale.
    note: hasHandler ? noteOf(event) : undefined,
    gate: revisionGate,
    leaseMs: LEASE_MS,
    keepMs: dedupWindowMs,
  }
}

/**
 * The request with another revision of its note, for `context.setAppliedRevision`.
 *
 * @throws OptionError unless `revision` is a whole number from 0
 */
export function withRevision(request: ClaimRequest, revision: number): ClaimRequest {
  if (!Number.isSafeInteger(revision) || revision < 0) {
    throw new OptionError(
      'revision',
      'setAppliedRevision takes the revision of the note that was fetched: a whole number from 0.',
    )
  }
  const { note } = request
  if (note?.change === undefined) return request
  return { ...request, note: { ...note, change: { ...note.change, revision } } }
}

// An event of an unknown kind waits for its note, but the revision gate does not check it.
function noteOf(event: WebhookEvent): ClaimedNote | undefined {
  if (isNoteEvent(event)) return { noteId: event.data.note_id, change: changeIn(event) }
  const noteId = isEndpointEvent(event) ? undefined : event.data['note_id']
  return typeof noteId === 'string' ? { noteId } : undefined
}

function changeIn({ event_type: kind, occurred_at, data }: NoteEvent): NoteChange {
  const recordingSessionId = data.recording_session_id ?? undefined
  // TypeScript cannot infer that only a deletion may have no revision.
  return { kind, revision: data.revision, recordingSessionId, occurredAt: parseTime(occurred_at) } as NoteChange
}

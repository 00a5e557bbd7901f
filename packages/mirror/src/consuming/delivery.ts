import type { ConsumerChange } from '../consumers/consumer-change.ts'
import type { ConsumableNote, ConsumerState } from '../consumers/consumer-store.ts'
import { eachPart, NOTE_PARTS, type NotePart } from '../notes/note-parts.ts'
import { partsOf } from '../notes/stored-note.ts'

export interface Delivery {
  readonly note: ConsumableNote
  readonly since: number
  /** `nothing`: the consumer has applied the change already, or the note vanished before the consumer was created. */
  readonly kind: ConsumerChange['kind'] | 'nothing'
}

/** Decides which change of a note the consumer gets. A removal is sent even if the note was not applied: a process may have died between `apply` and commit. */
export function deliveryOf(note: ConsumableNote, state: ConsumerState): Delivery {
  const { base, startPosition } = state
  const since = note.kept?.since ?? base
  if (note.state.presence === 'live') {
    const isChanged = note.note !== null && note.position > since && !isLeftOut(note, state)
    return { note, since, kind: isChanged ? 'content' : 'nothing' }
  }
  const isToBeRemoved = note.vanishedPosition > Math.max(since, startPosition)
  return { note, since, kind: isToBeRemoved ? 'removed' : 'nothing' }
}

/** Whether a note belongs to what a consumer that starts from now leaves out. Its transcript may still have to be read for the first time. */
function isLeftOut({ state, visiblePosition }: ConsumableNote, { fromNow, startPosition }: ConsumerState): boolean {
  if (fromNow === null || visiblePosition > startPosition) return false
  return state.revision === state.visibleRevision && (state.heard?.sequence ?? 0) <= fromNow.sequence
}

export function changedParts({ note: { changedPositions, visiblePosition }, since }: Delivery): readonly NotePart[] {
  return visiblePosition > since ? NOTE_PARTS : NOTE_PARTS.filter((part) => changedPositions[part] > since)
}

/** Makes the change for `apply`; `undefined` if there is none. */
export async function changeOf(delivery: Delivery): Promise<ConsumerChange | undefined> {
  const { state, note, transcript, summary } = delivery.note
  const { noteId } = state
  if (delivery.kind === 'removed') return { kind: 'removed', noteId }
  if (delivery.kind === 'nothing' || note === null) return undefined
  const values = partsOf(delivery.note)
  const hashes = await Promise.all(NOTE_PARTS.map((part) => hashOf(values[part])))
  return {
    kind: 'content',
    noteId,
    note,
    transcript,
    summary,
    transcriptVersion: values.transcript === null ? null : delivery.note.changedPositions.transcript,
    recordingSessionId: state.recordingSessionId,
    parts: changedParts(delivery),
    hashes: eachPart((part) => hashes[NOTE_PARTS.indexOf(part)] ?? null),
    isSettled: state.settledRevision === state.revision,
  }
}

async function hashOf(value: unknown): Promise<string | null> {
  if (value === null || value === undefined) return null
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(value)))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

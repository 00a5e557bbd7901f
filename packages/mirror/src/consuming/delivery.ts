import { type ConsumerChange, eachPart, NOTE_PARTS, type NotePart } from '../interfaces/consumer-change.ts'
import type { ConsumableNote, ConsumerState } from '../interfaces/consumer-store.ts'
import { partsOf } from '../interfaces/stored-note.ts'

/** A note, and the change that the consumer gets. */
export interface Delivery {
  readonly note: ConsumableNote
  /** The position of the last change of the note that the consumer applied. */
  readonly since: number
  /** `nothing`: the consumer has applied the change already, or the note vanished before the consumer was created. */
  readonly kind: ConsumerChange['kind'] | 'nothing'
}

/** Decides which change of a note the consumer gets. A removal is sent even if the note was not applied: a process may have died between `apply` and commit. */
export function deliveryOf(note: ConsumableNote, { base, startedAt }: ConsumerState): Delivery {
  const since = note.kept?.since ?? base
  if (note.state.presence === 'live') {
    return { note, since, kind: note.note !== null && note.position > since ? 'content' : 'nothing' }
  }
  const isToBeRemoved = note.vanishedSince > Math.max(since, startedAt)
  return { note, since, kind: isToBeRemoved ? 'removed' : 'nothing' }
}

/** The parts that changed since the consumer last applied the note. */
export function changedParts({ note: { changedAt, visibleSince }, since }: Delivery): readonly NotePart[] {
  return visibleSince > since ? NOTE_PARTS : NOTE_PARTS.filter((part) => changedAt[part] > since)
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

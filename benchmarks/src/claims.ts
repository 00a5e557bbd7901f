import { randomUUID } from 'node:crypto'
import type { ClaimRequest, ReceiverStore } from '@notewire/webhooks/store'
import type { Contender } from './throughput.ts'

/** The values that a receiver uses. */
export const LEASE_MS = 20_000
export const KEEP_MS = 72 * 3_600_000

const NOTES = 1000

/** Claim and commit of distinct events: events without a note, and events that raise the revision of a note. */
export function claimsIn(store: ReceiverStore, aim: number): readonly Contender[] {
  return [
    { name: 'notewire, event alone', operate: () => claimAndCommit(store, eventAlone()), aim },
    { ...claimWithNote(store), aim },
  ]
}

/** Claim and commit of distinct events that raise the revision of a note. */
export function claimWithNote(store: ReceiverStore): Contender {
  return { name: 'notewire, event and note', operate: () => claimAndCommit(store, eventWithNote()) }
}

/** An unused event id. */
export function newEventId(): string {
  return `evt_${randomUUID()}`
}

async function claimAndCommit(store: ReceiverStore, request: ClaimRequest): Promise<void> {
  const answer = await store.claim(request)
  if (answer.status !== 'claimed') throw new Error(`a new event is ${answer.status}`)
  const end = await store.commit(answer.claim)
  if (end !== 'committed') throw new Error(`the claim of an event is ${end}`)
}

function eventAlone(): ClaimRequest {
  return {
    integration: 'default',
    eventId: newEventId(),
    gate: 'deletions-at-equal',
    leaseMs: LEASE_MS,
    keepMs: KEEP_MS,
  }
}

function eventWithNote(): ClaimRequest {
  const { noteId, revision } = nextChange()
  return { ...eventAlone(), note: { noteId, change: { kind: 'note.updated', revision } } }
}

let changes = 0

/** The next change of a note. Cycles through the notes, so that parallel claims never conflict. */
export function nextChange(): { readonly noteId: string; readonly revision: number } {
  changes += 1
  return { noteId: `note_${String(changes % NOTES).padStart(20, '0')}`, revision: Math.ceil(changes / NOTES) }
}

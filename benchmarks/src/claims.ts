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
    { name: 'notewire, event and note', operate: () => claimAndCommit(store, eventWithNote()), aim },
  ]
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

let changes = 0

// Cycles through the notes, so that parallel claims never conflict.
function eventWithNote(): ClaimRequest {
  changes += 1
  const change = { kind: 'note.updated', revision: Math.ceil(changes / NOTES) } as const
  return { ...eventAlone(), note: { noteId: `note_${String(changes % NOTES).padStart(20, '0')}`, change } }
}

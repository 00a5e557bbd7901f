import type { ClaimRequest, ReceiverStore } from '@notewire/webhooks'

/** The time at which the tables are frozen. */
export const FROZEN_AT = Date.parse('2026-11-22T12:00:00Z')

/** What a store answered to a claim. */
export interface Answered {
  readonly request: ClaimRequest
  readonly status: string
  readonly appliedRevision?: number | undefined
}

type Traits = Partial<Pick<ClaimRequest, 'integration' | 'gate' | 'leaseMs'>>

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** A lease that has not expired when a later version reads the tables. To a claim with a shorter lease, it would seem to be written by a wrong clock. */
const HELD = { leaseMs: 36_500 * DAY_MS } as const

/** Leaves an entry of every state in a store: processed, forgotten, released, held, deleted. */
export async function tellReceiverStory(store: ReceiverStore): Promise<void> {
  await process(store, updated('evt_updated', 'note_updated', 3))
  await process(store, updated('evt_elsewhere', 'note_updated', 9, { integration: 'team {50%}' }))
  await process(store, deleted('evt_deleted', 'note_deleted', 5, FROZEN_AT - MINUTE_MS))
  await process(store, deleted('evt_deleted_sometime', 'note_deleted_sometime', 5, undefined))
  await process(store, ended('evt_ended', 'note_ended', 'session_1'))
  await process(store, aboutNoNote('evt_test'))
  await process(store, updated('evt_replayed', 'note_replayed', 4))
  await store.forget('default', 'evt_replayed')
  await store.release(await claimed(store, updated('evt_released', 'note_released', 2)))
  await claimed(store, updated('evt_held', 'note_held', 2, HELD))
}

/** The claims that every later version must answer in the same way. */
export const QUESTIONS: readonly ClaimRequest[] = [
  updated('evt_updated', 'note_updated', 3),
  updated('evt_older', 'note_updated', 2),
  updated('evt_equal', 'note_updated', 3),
  updated('evt_newer', 'note_updated', 4),
  updated('evt_older', 'note_updated', 2, { gate: 'off' }),
  updated('evt_updated', 'note_updated', 3, { integration: 'team {50%}' }),
  updated('evt_elsewhere', 'note_updated', 9, { integration: 'team {50%}' }),
  updated('evt_new', 'note_updated', 9),
  deleted('evt_deleted_again', 'note_deleted', 5, FROZEN_AT),
  at(updated('evt_before_deletion', 'note_deleted', 5), FROZEN_AT - 2 * MINUTE_MS),
  at(updated('evt_after_deletion', 'note_deleted', 5), FROZEN_AT),
  at(updated('evt_after_deletion', 'note_deleted_sometime', 5), FROZEN_AT),
  ended('evt_ended_again', 'note_ended', 'session_1'),
  ended('evt_another_session', 'note_ended', 'session_2'),
  aboutNoNote('evt_test'),
  updated('evt_replayed', 'note_replayed', 4),
  updated('evt_after_replay', 'note_replayed', 4),
  updated('evt_released', 'note_released', 2),
  updated('evt_held', 'note_held', 2, HELD),
  updated('evt_next', 'note_held', 3, HELD),
]

/** Claims, and gives every claim back, so that no question changes the answer to the next. */
export async function ask(store: ReceiverStore, questions: readonly ClaimRequest[]): Promise<readonly Answered[]> {
  const answers: Answered[] = []
  for (const request of questions) {
    const result = await store.claim(request)
    if (result.status === 'claimed') await store.release(result.claim)
    answers.push({
      request,
      status: result.status,
      ...(result.status === 'stale' && { appliedRevision: result.appliedRevision }),
    })
  }
  return answers
}

async function process(store: ReceiverStore, request: ClaimRequest): Promise<void> {
  const result = await store.commit(await claimed(store, request))
  if (result !== 'committed') throw new Error(`The commit of ${request.eventId} was ${result}.`)
}

async function claimed(store: ReceiverStore, request: ClaimRequest) {
  const result = await store.claim(request)
  if (result.status !== 'claimed') throw new Error(`The claim of ${request.eventId} was answered ${result.status}.`)
  return result.claim
}

function aboutNoNote(eventId: string, traits: Traits = {}): ClaimRequest {
  return {
    integration: 'default',
    eventId,
    gate: 'deletions-at-equal',
    leaseMs: 20_000,
    keepMs: 3 * DAY_MS,
    ...traits,
  }
}

function updated(eventId: string, noteId: string, revision: number, traits: Traits = {}): ClaimRequest {
  return { ...aboutNoNote(eventId, traits), note: { noteId, change: { kind: 'note.updated', revision } } }
}

function at({ note, ...request }: ClaimRequest, occurredAt: number): ClaimRequest {
  return { ...request, ...(note?.change && { note: { ...note, change: { ...note.change, occurredAt } } }) }
}

function deleted(eventId: string, noteId: string, revision: number, occurredAt: number | undefined): ClaimRequest {
  const change = { kind: 'note.deleted', revision, ...(occurredAt !== undefined && { occurredAt }) } as const
  return { ...aboutNoNote(eventId), note: { noteId, change } }
}

function ended(eventId: string, noteId: string, recordingSessionId: string): ClaimRequest {
  const change = { kind: 'note.ended', revision: 7, recordingSessionId } as const
  return { ...aboutNoNote(eventId, { gate: 'per-kind' }), note: { noteId, change } }
}

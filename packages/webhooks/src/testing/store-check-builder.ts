import assert from 'node:assert/strict'
import type { GateMode } from '../interfaces/revision-gate.ts'
import type { Claim, ClaimRequest, ReceiverStore } from '../interfaces/store.ts'

/** A check that every store must pass. */
export interface StoreCheck {
  readonly name: string
  /** Rejects with an `AssertionError` if the store fails the check. Each run uses its own integration. */
  readonly run: (store: ReceiverStore) => Promise<void>
}

/** The fields of a claim request that matter to a check. `RequestBuilder` adds the others. */
interface RequestTraits {
  readonly eventId?: string
  readonly noteId?: string
  readonly revision?: number
  readonly gate?: GateMode
  readonly leaseMs?: number
  readonly keepMs?: number
}

type RequestBuilder = (traits?: RequestTraits) => ClaimRequest

export function check(
  name: string,
  body: (store: ReceiverStore, request: RequestBuilder) => Promise<void>,
): StoreCheck {
  return {
    name,
    run: (store) => {
      const integration = `check-${crypto.randomUUID()}`
      return body(store, ({ eventId, noteId = 'note_1', revision = 1, gate, leaseMs, keepMs } = {}) => ({
        integration,
        eventId: eventId ?? `evt_${crypto.randomUUID()}`,
        note: { noteId, change: { kind: 'note.updated', revision } },
        gate: gate ?? 'deletions-at-equal',
        leaseMs: leaseMs ?? 60_000,
        keepMs: keepMs ?? 3_600_000,
      }))
    },
  }
}

/** Claims an event. Fails if the claim is not granted. */
export async function claimed(store: ReceiverStore, request: ClaimRequest): Promise<Claim> {
  const result = await store.claim(request)
  assert.ok(result.status === 'claimed', `the claim should be claimed, and is ${result.status}`)
  return result.claim
}

/** The status of a claim. */
export async function answer(store: ReceiverStore, request: ClaimRequest): Promise<string> {
  return (await store.claim(request)).status
}

/** Claims an event and commits it. */
export async function apply(store: ReceiverStore, request: ClaimRequest): Promise<void> {
  assert.equal(await store.commit(await claimed(store, request)), 'committed')
}

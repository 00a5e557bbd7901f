import assert from 'node:assert/strict'
import type { GateMode } from '../interfaces/revision-gate.ts'
import type { Claim, ClaimRequest, ReceiverStore } from '../interfaces/store.ts'

/** A check that every store must pass. */
export interface StoreCheck {
  readonly name: string
  /** Rejects with an `AssertionError` if the store fails the check. Each run uses its own integration. */
  readonly run: (store: ReceiverStore) => Promise<void>
}

/** The fields of a claim request that matter to a check. The rest of a whole request stays as it is. */
type Traits = Partial<ClaimRequest> & { readonly noteId?: string; readonly revision?: number; readonly gate?: GateMode }

export interface Stage {
  readonly store: ReceiverStore
  /** Makes a request of the integration of the run, for an update of a note at revision 1. */
  request(traits?: Traits): ClaimRequest
  /** Claims an event. Fails if the claim is not granted. */
  claim(traits?: Traits): Promise<Claim>
  /** Claims an event and commits it. */
  apply(traits?: Traits): Promise<void>
  /** Fails unless a claim has this status. */
  expect(status: string, traits?: Traits): Promise<void>
  /** Fails unless a claim is lost: it can be neither renewed nor committed. */
  expectLost(claim: Claim): Promise<void>
}

export function check(name: string, body: (stage: Stage) => Promise<void>): StoreCheck {
  return { name, run: (store) => body(stageOf(store)) }
}

function stageOf(store: ReceiverStore): Stage {
  const integration = `check-${crypto.randomUUID()}`
  const request = ({ noteId = 'note_1', revision = 1, ...traits }: Traits = {}): ClaimRequest => ({
    integration,
    eventId: `evt_${crypto.randomUUID()}`,
    note: { noteId, change: { kind: 'note.updated', revision } },
    gate: 'deletions-at-equal',
    leaseMs: 60_000,
    keepMs: 3_600_000,
    ...traits,
  })
  const claim = async (traits?: Traits) => {
    const result = await store.claim(request(traits))
    assert.ok(result.status === 'claimed', `the claim should be claimed, and is ${result.status}`)
    return result.claim
  }
  return {
    store,
    request,
    claim,
    apply: async (traits) => assert.equal(await store.commit(await claim(traits)), 'committed'),
    expect: async (status, traits) => assert.equal((await store.claim(request(traits))).status, status),
    expectLost: async (lost) => {
      assert.equal(await store.renew(lost, 60_000), 'lost')
      assert.equal(await store.commit(lost), 'lost')
      await store.release(lost)
    },
  }
}

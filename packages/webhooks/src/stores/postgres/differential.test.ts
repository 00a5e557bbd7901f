import fc from 'fast-check'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { appliedText } from '../../../fixtures/stores/applied-text.ts'
import { afterStale, type HeldClaim } from '../../../fixtures/stores/held-claim.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import type { GateMode, NoteChange } from '../../interfaces/revision-gate.ts'
import type { ClaimRequest, ReceiverStore } from '../../interfaces/store.ts'
import { memoryStore } from '../memory-store.ts'
import { postgresStore } from './index.ts'

let databases: TestDatabases
let pool: Pool
beforeAll(async () => {
  databases = await startDatabases()
  pool = await databases.migratedPool()
})
afterAll(() => databases.cleanUp.disposeAsync())

// A lease expires at once or not within this test, so that both stores answer the same on a machine of any speed.
const duration = fc.constantFrom(0, 3_600_000)

const time = fc.constantFrom(undefined, 1, 2, 3)

const revisedChange = fc.record({
  kind: fc.constantFrom('note.ended', 'note.ended', 'note.updated', 'note.updated', 'note.deleted'),
  revision: fc.nat(1),
  recordingSessionId: fc.constantFrom(undefined, 'a'),
  occurredAt: time,
})

const change: fc.Arbitrary<NoteChange | undefined> = fc.oneof(
  { weight: 7, arbitrary: revisedChange },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('note.deleted'), occurredAt: time }) },
  { weight: 1, arbitrary: fc.constant(undefined) },
)

const request: fc.Arbitrary<ClaimRequest> = fc.record({
  integration: fc.constantFrom('first', 'first', 'first', 'second'),
  eventId: fc.nat(15).map(String),
  note: fc.option(fc.record({ noteId: fc.constantFrom('n1', 'n2'), change }), { nil: undefined, freq: 6 }),
  gate: fc.constantFrom<GateMode>('strict', 'deletions-at-equal', 'per-kind', 'per-kind', 'off'),
  // A shorter lease would end the longer ones, as after a clock that was set back. `renew` makes a lease expire.
  leaseMs: fc.constant(3_600_000),
  keepMs: duration,
})

/** An operation on both stores. `back` selects a claim, counted back from the latest. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant('claim' as const), request }) },
  { weight: 12, arbitrary: fc.record({ act: fc.constant('apply' as const), request }) },
  { weight: 5, arbitrary: fc.record({ act: fc.constantFrom('commit', 'release'), back: fc.nat(3) }) },
  { weight: 5, arbitrary: fc.record({ act: fc.constant('commit' as const), back: fc.nat(1) }) },
  { weight: 6, arbitrary: fc.record({ act: fc.constant('renew' as const), back: fc.nat(3), leaseMs: duration }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('forget' as const), request }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('prune' as const) }) },
)

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

it('answers like the store in memory in any history', async () => {
  const answers: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (history) => {
      await pool.query('TRUNCATE notewire_events, notewire_notes')
      const expected = await answersOf(memoryStore(), history)
      for (const answer of expected) {
        const [kind = ''] = answer.split(' ')
        answers[kind] = (answers[kind] ?? 0) + 1
      }
      expect(await answersOf(postgresStore(pool), history)).toEqual(expected)
    }),
    { numRuns: 300 },
  )
  // Otherwise the histories would not cover this answer.
  for (const answer of ['claimed', 'duplicate', 'stale', 'busy', 'committed', 'lost', 'renewed', 'forgotten']) {
    expect(answers[answer], answer).toBeGreaterThan(20)
  }
})

async function answersOf(store: ReceiverStore, history: readonly Step[]): Promise<readonly string[]> {
  const claims: HeldClaim[] = []
  const answers: string[] = []
  for (const each of history) answers.push(await answerTo(store, each, claims))
  return answers
}

async function answerTo(store: ReceiverStore, step: Step, claims: HeldClaim[]): Promise<string> {
  switch (step.act) {
    case 'claim':
    case 'apply': {
      const answer = await store.claim(step.request)
      if (answer.status === 'stale') {
        claims.splice(0, claims.length, ...afterStale(claims, step.request))
        return `stale at ${answer.appliedRevision}`
      }
      if (answer.status !== 'claimed') return answer.status
      const after = ` after ${appliedText(answer.claim.applied)}`
      if (step.act === 'apply') return `${await store.commit(answer.claim)}${after}`
      claims.push({ claim: answer.claim, isExpired: false })
      return `claimed${after}`
    }
    case 'forget':
      return await store.forget(step.request.integration, step.request.eventId)
    case 'prune':
      // Without claims, because PostgreSQL keeps the whole row of a claimed event, and the store in memory only its lease.
      for (const { claim } of claims) await store.release(claim)
      return `pruned ${await store.prune()}`
    default: {
      const held = claims.at(-1 - step.back)
      if (held === undefined) return 'nothing'
      if (step.act !== 'renew') return (await store[step.act](held.claim)) ?? 'released'
      const answer = await store.renew(held.claim, step.leaseMs)
      if (answer === 'renewed') held.isExpired = step.leaseMs === 0
      return answer
    }
  }
}

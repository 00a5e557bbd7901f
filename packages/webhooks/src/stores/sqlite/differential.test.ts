import { betterSqlite } from '@notewire/storage'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ManualClock } from '../../../fixtures/manual-clock.ts'
import { appliedText } from '../../../fixtures/stores/applied-text.ts'
import type { NoteChange } from '../../interfaces/revision-gate.ts'
import type { Claim, ClaimRequest, ReceiverStore } from '../../interfaces/store.ts'
import { memoryStore } from '../memory-store.ts'
import { sqliteStore } from './sqlite-store.ts'

const KEEP_MS = 400

// Few, so that times are often equal.
const someMs = fc.constantFrom(50, 100, 200)

const time = fc.constantFrom(undefined, 1, 2, 3)

const revisedChange = fc.record({
  kind: fc.constantFrom('note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'),
  revision: fc.integer({ min: 0, max: 2 }),
  recordingSessionId: fc.constantFrom(undefined, 'a', 'b'),
  occurredAt: time,
})

const change: fc.Arbitrary<NoteChange> = fc.oneof(
  { weight: 7, arbitrary: revisedChange },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('note.deleted'), occurredAt: time }) },
)

const event = {
  integration: fc.constantFrom('personal', 'personal', 'personal', 'channel'),
  eventId: fc.integer({ min: 1, max: 15 }).map((number) => `event ${number}`),
}

const request: fc.Arbitrary<ClaimRequest> = fc.record({
  ...event,
  note: fc.option(
    fc.record({
      noteId: fc.constantFrom('note 1', 'note 1', 'note 2'),
      change: fc.option(change, { nil: undefined, freq: 6 }),
    }),
    { nil: undefined, freq: 5 },
  ),
  gate: fc.constantFrom('strict', 'deletions-at-equal', 'per-kind', 'per-kind', 'off', 'off'),
  leaseMs: someMs,
  keepMs: fc.constantFrom(KEEP_MS, KEEP_MS, KEEP_MS / 4),
})

type Step =
  | { readonly do: 'claim' | 'apply'; readonly request: ClaimRequest }
  | { readonly do: 'commit' | 'release'; readonly claim: number }
  | { readonly do: 'renew'; readonly claim: number; readonly leaseMs: number }
  | { readonly do: 'forget'; readonly integration: string; readonly eventId: string }
  | { readonly do: 'prune' }
  | { readonly do: 'wait'; readonly ms: number }

// Mostly the latest claims, because older ones are nearly always lost.
const claim = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(20))

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('claim', 'apply'), request }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('commit', 'commit', 'release'),
      claim,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew'), claim, leaseMs: someMs }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('forget'), ...event }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('prune') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait'), ms: someMs }) },
)

const forgotten: ClaimRequest = {
  integration: 'personal',
  eventId: 'event 6',
  note: undefined,
  gate: 'strict',
  leaseMs: 50,
  keepMs: KEEP_MS,
}
/** `prune` ends an expired lease, also of an event whose record it keeps. */
const PRUNED_CLAIM: Step[] = [
  { do: 'apply', request: forgotten },
  { do: 'forget', integration: 'personal', eventId: 'event 6' },
  { do: 'claim', request: forgotten },
  { do: 'wait', ms: 50 },
  { do: 'prune' },
  { do: 'commit', claim: 0 },
]

it('answers like the store in memory in any history', async () => {
  const answered = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 100, size: 'max' }), async (steps) => {
      const database = new Database(':memory:')
      const clock = new ManualClock()
      const store = sqliteStore(betterSqlite(database), { clock })
      await store.migrate()
      const sqlite = new HistoryRunner(store)
      const memory = new HistoryRunner(memoryStore({ clock }))
      for (const each of steps) {
        if (each.do === 'wait') await clock.advance(each.ms)
        else {
          const answer = await memory.run(each)
          expect(await sqlite.run(each), JSON.stringify(each)).toEqual(answer)
          const [kind = ''] = String(answer).split(' after ')
          answered.set(kind, (answered.get(kind) ?? 0) + 1)
        }
      }
      sqlite.expectTokensToGrow()
      database.close()
    }),
    { numRuns: 300, examples: [[PRUNED_CLAIM]] },
  )
  // Otherwise the histories would not cover this answer.
  for (const answer of ['claimed', 'duplicate', 'busy', 'committed', 'lost', 'renewed', 'forgotten', 'stale at 2']) {
    expect(answered.get(answer), answer).toBeGreaterThan(20)
  }
})

class HistoryRunner {
  readonly #store: ReceiverStore
  readonly #claims: Claim[] = []

  constructor(store: ReceiverStore) {
    this.#store = store
  }

  async run(step: Exclude<Step, { do: 'wait' }>): Promise<unknown> {
    switch (step.do) {
      case 'claim':
      case 'apply': {
        const result = await this.#store.claim(step.request)
        if (result.status === 'claimed') this.#claims.push(result.claim)
        if (result.status === 'stale') return `stale at ${result.appliedRevision}`
        if (result.status !== 'claimed') return result.status
        const after = ` after ${appliedText(result.claim.applied)}`
        return step.do === 'apply' ? `${await this.#store.commit(result.claim)}${after}` : `claimed${after}`
      }
      case 'forget':
        return await this.#store.forget(step.integration, step.eventId)
      case 'prune':
        return await this.#store.prune()
      default: {
        const claim = this.#claims.at(-1 - step.claim)
        return claim && (await this.#end(step, claim))
      }
    }
  }

  async #end(step: Extract<Step, { claim: number }>, claim: Claim): Promise<unknown> {
    switch (step.do) {
      case 'commit':
        return await this.#store.commit(claim)
      case 'release':
        return await this.#store.release(claim)
      case 'renew':
        return await this.#store.renew(claim, step.leaseMs)
    }
  }

  expectTokensToGrow(): void {
    const highest = new Map<string, bigint>()
    for (const { request, fencingToken } of this.#claims) {
      const { integration, eventId, note } = request
      for (const key of [`${integration} event ${eventId}`, ...(note ? [`${integration} note ${note.noteId}`] : [])]) {
        expect(BigInt(fencingToken)).toBeGreaterThan(highest.get(key) ?? 0n)
        highest.set(key, BigInt(fencingToken))
      }
    }
  }
}

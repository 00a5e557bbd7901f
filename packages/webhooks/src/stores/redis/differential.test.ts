import { setTimeout as sleep } from 'node:timers/promises'
import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import fc from 'fast-check'
import { Cluster, Redis } from 'ioredis'
import { startRedis, startRedisCluster } from 'notewire-test-servers'
import { expect, it } from 'vitest'
import { ManualClock } from '../../../fixtures/manual-clock.ts'
import { appliedText } from '../../../fixtures/stores/applied-text.ts'
import { afterStale, type HeldClaim } from '../../../fixtures/stores/held-claim.ts'
import type { GateMode, NoteChange } from '../../interfaces/revision-gate.ts'
import type { ClaimRequest, ReceiverStore } from '../../interfaces/store.ts'
import { memoryStore } from '../memory-store.ts'
import { redisStore } from './redis-store.ts'

// Leases expire before the next step or never, so that the speed of the machine makes no difference.
const STEP_MS = 4
const SHORT_MS = 1
const LONG_MS = 3_600_000

type Step =
  | { readonly operation: 'claim'; readonly request: ClaimRequest }
  | { readonly operation: 'renew'; readonly claim: number; readonly leaseMs: number }
  | { readonly operation: 'commit' | 'release'; readonly claim: number }
  | { readonly operation: 'forget'; readonly integration: string; readonly eventId: string }

// Mostly the same integration, event and note, so that operations conflict.
const anIntegration = mostly('a', 'a:b')
const anEventId = fc.constantFrom('one', 'b:one', 'two', 'three')
const aLeaseMs = fc.constantFrom(LONG_MS, SHORT_MS)
/** A claim, counted back from the latest. */
const aClaim = mostly(0, 1, 2, 3)

const aTime = mostly<number | undefined>(2, 1, 3, undefined, -1, 1_767_258_000_000)

const aRevisedChange = fc.record({
  kind: fc.constantFrom(...NOTE_EVENT_KINDS),
  revision: mostly(5, 4, 6, 10, Number.MAX_SAFE_INTEGER),
  recordingSessionId: mostly<string | undefined>(undefined, '', 's', 's\nnote.deleted', 'note.ended "s"'),
  occurredAt: aTime,
})

const aChange: fc.Arbitrary<NoteChange> = fc.oneof(
  { weight: 7, arbitrary: aRevisedChange },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('note.deleted'), occurredAt: aTime }) },
)

const aNote = fc.record({
  noteId: mostly('one', 'two'),
  change: fc.option(aChange, { nil: undefined, freq: 8 }),
})

const aRequest: fc.Arbitrary<ClaimRequest> = fc.record({
  integration: anIntegration,
  eventId: anEventId,
  note: fc.option(aNote, { nil: undefined, freq: 8 }),
  gate: mostly<GateMode>('per-kind', 'off', 'off', 'deletions-at-equal', 'strict'),
  // A shorter lease would end the longer ones, as after a clock that was set back. `renew` makes a lease expire.
  leaseMs: fc.constant(LONG_MS),
  keepMs: fc.constant(LONG_MS),
})

const aHistory = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ operation: fc.constant('claim'), request: aRequest }) },
    { weight: 5, arbitrary: fc.record({ operation: fc.constant('commit'), claim: aClaim }) },
    { weight: 1, arbitrary: fc.record({ operation: fc.constant('release'), claim: aClaim }) },
    { weight: 3, arbitrary: fc.record({ operation: fc.constant('renew'), claim: aClaim, leaseMs: aLeaseMs }) },
    {
      weight: 2,
      arbitrary: fc.record({ operation: fc.constant('forget'), integration: anIntegration, eventId: anEventId }),
    },
  ) as fc.Arbitrary<Step>,
  { maxLength: 60, size: 'max' },
)

/** The first value in two of three cases, otherwise one of the rest. */
function mostly<Value>(first: Value, ...rest: readonly Value[]): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 2, arbitrary: fc.constant(first) }, { weight: 1, arbitrary: fc.constantFrom(...rest) })
}

it('answers like the store in memory in any history', async () => {
  await using server = await startRedis()
  const redis = new Redis(server.port)
  await compare(redis, () => redis.flushall(), 400)
  redis.disconnect()
})

it('answers in a Redis Cluster like the store in memory in any history', async () => {
  await using cluster = await startRedisCluster()
  const redis = new Cluster([{ host: '127.0.0.1', port: cluster.ports[0] ?? 0 }])
  await compare(redis, () => Promise.all(redis.nodes('master').map((node) => node.flushall())), 200)
  redis.disconnect()
})

async function compare(redis: Redis | Cluster, flush: () => Promise<unknown>, numRuns: number): Promise<void> {
  const answers = new Set<string>()
  await fc.assert(
    fc.asyncProperty(aHistory, async (history) => {
      await flush()
      const clock = new ManualClock()
      const inMemory = playerOn(memoryStore({ clock }))
      const inRedis = playerOn(redisStore(redis))
      for (const step of history) {
        const answer = await inRedis(step)
        expect({ step, answer }).toEqual({ step, answer: await inMemory(step) })
        answers.add(`${step.operation} ${answer.split(' ')[0]}`)
        if (isShort(step)) await Promise.all([sleep(STEP_MS), clock.advance(STEP_MS)])
      }
    }),
    { numRuns },
  )
  expect([...answers].sort()).toEqual([
    'claim busy',
    'claim claimed',
    'claim duplicate',
    'claim stale',
    'commit committed',
    'commit lost',
    'commit none',
    'forget forgotten',
    'forget unknown',
    'release done',
    'release none',
    'renew lost',
    'renew none',
    'renew renewed',
  ])
}

function isShort(step: Step): boolean {
  return step.operation === 'renew' && step.leaseMs === SHORT_MS
}

/** Runs the steps of one history on a store, and returns the answers as text. */
function playerOn(store: ReceiverStore): (step: Step) => Promise<string> {
  let claims: readonly HeldClaim[] = []
  let highest = 0n

  return async (step) => {
    switch (step.operation) {
      case 'claim': {
        const result = await store.claim(step.request)
        if (result.status === 'stale') {
          claims = afterStale(claims, step.request)
          return `stale ${result.appliedRevision}`
        }
        if (result.status !== 'claimed') return result.status
        const token = BigInt(result.claim.fencingToken)
        expect(token).toBeGreaterThan(highest)
        highest = token
        claims = [...claims, { claim: result.claim, isExpired: false }]
        return `claimed after ${appliedText(result.claim.applied)}`
      }
      case 'forget':
        return await store.forget(step.integration, step.eventId)
      case 'commit':
      case 'renew':
      case 'release': {
        const held = claims.at(-1 - step.claim)
        if (held === undefined) return 'none'
        if (step.operation === 'commit') return await store.commit(held.claim)
        if (step.operation === 'renew') {
          const answer = await store.renew(held.claim, step.leaseMs)
          if (answer === 'renewed') held.isExpired = isShort(step)
          return answer
        }
        await store.release(held.claim)
        return 'done'
      }
    }
  }
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import type { Claim } from '../interfaces/store.ts'
import { storeChecks } from '../testing/store-checks.ts'
import { MemoryStore, memoryStore } from './memory-store.ts'

const HOUR_MS = 3_600_000
const KEEP_MS = 27 * HOUR_MS
const DUPLICATE = { status: 'duplicate' }
const REQUEST = { integration: 's', gate: 'strict', leaseMs: 20_000, keepMs: KEEP_MS } as const

function setUp(maxRecords?: number) {
  const clock = new ManualClock()
  const store = maxRecords === undefined ? memoryStore({ clock }) : new MemoryStore(clock, maxRecords)
  /** Claims an event. Throws the status if the claim is not granted. */
  const claim = async (
    eventId: string,
    { revision, keepMs = KEEP_MS }: { revision?: number; keepMs?: number } = {},
  ) => {
    const note = revision && { noteId: 'note_1', change: { kind: 'note.updated', revision } as const }
    const result = await store.claim({ ...REQUEST, keepMs, eventId, ...(note ? { note } : {}) })
    if (result.status !== 'claimed') throw new Error(result.status)
    return result.claim
  }
  return { clock, claim, store }
}

describe('the store in memory', () => {
  for (const { name, run } of storeChecks) it(name, () => run(memoryStore()))

  it('prunes itself once an hour', async () => {
    const { clock, claim, store } = setUp()
    const commit = async (eventId: string) => store.commit(await claim(eventId))
    await commit('old')
    await expect(commit('old')).rejects.toThrow('duplicate')
    await clock.advance(KEEP_MS)
    await commit('new')
    expect(await commit('old')).toBe('committed')
    await expect(commit('new')).rejects.toThrow('duplicate')
  })

  it('keeps a revision for keepMs after the latest event of the note, not after the first', async () => {
    const { clock, claim, store } = setUp()
    await store.commit(await claim('first', { revision: 5 }))
    await clock.advance(KEEP_MS - 1)
    await store.commit(await claim('second', { revision: 6 }))
    await clock.advance(KEEP_MS - 1)
    await store.prune()
    await expect(claim('third', { revision: 6 })).rejects.toThrow('stale')
    await clock.advance(1)
    await store.prune()
    await claim('third', { revision: 6 })
  })

  it('returns how many events and revisions it pruned', async () => {
    const { clock, claim, store } = setUp()
    await store.commit(await claim('of a note', { revision: 5 }))
    await store.commit(await claim('of none'))
    expect(await store.prune()).toBe(0)
    await clock.advance(KEEP_MS)
    expect(await store.prune()).toBe(3)
    expect(await store.prune()).toBe(0)
  })

  it('prunes expired leases only', async () => {
    const { clock, claim, store } = setUp()
    const gone = await claim('gone')
    await clock.advance(1)
    const alive = await claim('alive')
    await clock.advance(19_999)
    await store.prune()
    expect(await store.renew(gone, 20_000)).toBe('lost')
    expect(await store.renew(alive, 20_000)).toBe('renewed')
  })

  it.each([
    ['before', HOUR_MS - 1, 'duplicate'],
    ['after', HOUR_MS, 'committed'],
  ])('does not prune itself more than once an hour: %s an hour', async (_when, ms, expected) => {
    const { clock, claim, store } = setUp()
    await store.commit(await claim('old', { keepMs: 1 }))
    await clock.advance(ms)
    await store.commit(await claim('another'))
    const again = await store.claim({ ...REQUEST, eventId: 'old' })
    expect(again.status === 'claimed' ? await store.commit(again.claim) : again.status).toBe(expected)
  })

  it('prunes itself when an event is claimed, even if none is ever committed', async () => {
    const { clock, claim, store } = setUp()
    await store.commit(await claim('old', { keepMs: 1 }))
    await clock.advance(HOUR_MS)
    await claim('another')
    await claim('old')
  })

  it('forgets the records that would expire first when it is full', async () => {
    const { clock, claim, store } = setUp(20)
    for (let index = 0; index <= 20; index += 1) {
      await clock.advance(1)
      await store.commit(await claim(`event_${index}`))
    }
    await claim('event_0')
    await expect(claim('event_20')).rejects.toThrow('duplicate')
    await expect(claim('event_10')).rejects.toThrow('duplicate')
  })

  it('removes expired records before it forgets others', async () => {
    const { clock, claim, store } = setUp(20)
    for (let index = 0; index < 10; index += 1) await store.commit(await claim(`short_${index}`, { keepMs: 1 }))
    await clock.advance(1)
    for (let index = 0; index < 20; index += 1) await store.commit(await claim(`long_${index}`))
    for (let index = 0; index < 20; index += 1) await expect(claim(`long_${index}`)).rejects.toThrow('duplicate')
  })

  it('keeps at most its bound, whatever happens, and never fails, and never loses a claim in progress', async () => {
    const maxRecords = 12
    const anAct = fc.record({
      act: fc.constantFrom('commit', 'commit', 'commit', 'release', 'keep claim'),
      eventId: fc.nat(60),
      noteId: fc.nat(5),
      integration: fc.constantFrom('a', 'b'),
      afterMs: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: HOUR_MS })),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(anAct, { minLength: 30, maxLength: 120 }), async (acts) => {
        const { clock, store } = setUp(maxRecords)
        const held: Claim[] = []
        const processed: string[] = []
        for (const [index, { act, eventId, noteId, integration, afterMs }] of acts.entries()) {
          await clock.advance(afterMs)
          const note = { noteId: `note_${noteId}`, change: { kind: 'note.updated', revision: index } as const }
          const request = { ...REQUEST, integration, eventId: `event_${eventId}`, note, leaseMs: 1_000 * HOUR_MS }
          const result = await store.claim(request)
          if (result.status !== 'claimed') continue
          if (act === 'keep claim') held.push(result.claim)
          else if (act === 'release') await store.release(result.claim)
          else {
            expect(await store.commit(result.claim)).toBe('committed')
            processed.push(`${integration} ${request.eventId}`)
          }
        }
        // The latest event and its revision are the last to be forgotten.
        const [integration = '', eventId = ''] = processed.at(-1)?.split(' ') ?? []
        if (eventId !== '') expect(await store.claim({ ...REQUEST, integration, eventId })).toEqual(DUPLICATE)
        for (const claim of held) expect(await store.renew(claim, 1_000 * HOUR_MS)).toBe('renewed')
        await clock.advance(KEEP_MS)
        expect(await store.prune()).toBeLessThanOrEqual(maxRecords)
        for (const claim of held) expect(await store.commit(claim)).toBe('committed')
      }),
    )
  })

  it('refuses an invalid clock', () => {
    expect(() => memoryStore({ clock: 5 as unknown as ManualClock })).toThrow(/clock has no method "now"/)
  })

  it('refuses unknown options', () => {
    // @ts-expect-error a misspelt option
    expect(() => memoryStore({ clok: new ManualClock() })).toThrow(/memoryStore has no option "clok"/)
  })
})

import { describe, expect, it } from 'vitest'
import { ManualClock } from '../fixtures/manual-clock.ts'
import { storeChecks } from '../testing/store-checks.ts'
import { memoryStore } from './memory-store.ts'

describe('the store in memory', () => {
  for (const { name, run } of storeChecks) it(name, () => run(memoryStore()))

  it('prunes itself by the hour, so that a long-lived process does not grow for ever', async () => {
    const clock = new ManualClock()
    const store = memoryStore({ clock })
    const request = { scope: 's', note: undefined, gate: 'strict', leaseMs: 20_000, keepMs: 97_200_000 } as const
    const commit = async (eventId: string) => {
      const result = await store.claim({ ...request, eventId })
      return result.status === 'claimed' ? await store.commit(result.claim) : result.status
    }
    await commit('old')
    expect(await commit('old')).toBe('duplicate')
    await clock.advance(97_200_000)
    await commit('new')
    expect(await commit('old')).toBe('committed')
    expect(await commit('new')).toBe('duplicate')
  })

  it('refuses unknown options', () => {
    // @ts-expect-error a misspelt option
    expect(() => memoryStore({ clok: new ManualClock() })).toThrow(/memoryStore has no option "clok"/)
  })
})

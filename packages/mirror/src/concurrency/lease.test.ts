import { systemClock } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { isHeld, keepLease, LEASE_MS, leaseFrom, pauseAfterLoss } from './lease.ts'

const NOW = 1_760_000_000_000

describe('a lease', () => {
  it.each([
    [null, false],
    [NOW - 1, false],
    [NOW, false],
    [NOW + 1, true],
    [leaseFrom(NOW).until, true],
    [NOW + 2 * LEASE_MS, true],
    [NOW + 2 * LEASE_MS + 1, false],
  ])('that ends at %s is held: %s', (until, held) => {
    expect(isHeld(until, NOW)).toBe(held)
  })
})

describe('pauseAfterLoss', () => {
  const { signal } = new AbortController()

  it('pauses for 50 ms at most at first, and for 10 s at most later', async () => {
    const slept: number[] = []
    const clock = { ...systemClock, sleep: async (ms: number) => void slept.push(ms) }
    for (let losses = 0; losses < 20; losses += 1) await pauseAfterLoss(losses, clock, signal)
    expect(slept).toHaveLength(20)
    expect(slept[0]).toBeLessThan(50)
    for (const ms of slept) expect(ms).toBeLessThan(10_000)
    expect(Math.max(...slept)).toBeGreaterThan(1_000)
  })

  it('gives up after 20 losses', async () => {
    await expect(pauseAfterLoss(20, systemClock, signal)).rejects.toMatchObject({ code: 'mirror_busy' })
  })
})

describe('keepLease', () => {
  /** Works until a number of renewals, each of which has an outcome. */
  async function renewals(outcomes: readonly (boolean | Error)[]): Promise<unknown> {
    const left = [...outcomes]
    const allRenewed = Promise.withResolvers<void>()
    const clock = { ...systemClock, sleep: (_: number, signal?: AbortSignal) => nextTurn(signal) }
    const renew = async () => {
      const outcome = left.shift()
      if (left.length === 0) allRenewed.resolve()
      if (outcome instanceof Error) throw outcome
      return outcome ?? true
    }
    return await keepLease({ clock, renew, lost: () => new Error('lost') }, async (signal) => {
      await allRenewed.promise
      await nextTurn()
      return signal.reason
    })
  }

  it('continues if a renewal fails', async () => {
    expect(await renewals([true, new Error('the store is down'), true])).toBeUndefined()
  })

  it('aborts its signal when the lease is lost', async () => {
    expect(await renewals([true, false])).toMatchObject({ message: 'lost' })
  })

  it('rejects with the error of the work', async () => {
    const lease = { clock: systemClock, renew: async () => true, lost: () => new Error('lost') }
    await expect(keepLease(lease, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  })
})

async function nextTurn(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  signal?.throwIfAborted()
}

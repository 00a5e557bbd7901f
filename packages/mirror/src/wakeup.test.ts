import { describe, expect, it } from 'vitest'
import { Wakeup } from './wakeup.ts'

describe('who waits', () => {
  it('is woken by the next call, with all others who wait', async () => {
    const wakeup = new Wakeup()
    const waiting = [wakeup.after(0), wakeup.after(0, new AbortController().signal)]
    wakeup.wake()
    await expect(Promise.all(waiting)).resolves.toBeDefined()
  })

  it('need not wait for a call that came since it looked', async () => {
    const wakeup = new Wakeup()
    const { calls } = wakeup
    wakeup.wake()
    await expect(wakeup.after(calls)).resolves.toBeUndefined()
  })

  it('need not wait any longer when its signal fires, or has', async () => {
    const wakeup = new Wakeup()
    const end = new AbortController()
    const waiting = wakeup.after(0, end.signal)
    end.abort()
    await expect(waiting).resolves.toBeUndefined()
    await expect(wakeup.after(0, end.signal)).resolves.toBeUndefined()
  })
})

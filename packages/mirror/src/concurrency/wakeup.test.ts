import { describe, expect, it } from 'vitest'
import { Wakeup } from './wakeup.ts'

const { signal } = new AbortController()

describe('a wakeup', () => {
  it('resolves all waiting tasks', async () => {
    const wakeup = new Wakeup()
    const waiting = [wakeup.next(signal), wakeup.next(signal)]
    wakeup.wake()
    await expect(Promise.all(waiting)).resolves.toBeDefined()
  })

  it('resolves a task immediately if its signal has fired', async () => {
    const wakeup = new Wakeup()
    const end = new AbortController()
    const waiting = wakeup.next(end.signal)
    end.abort()
    await expect(waiting).resolves.toBeUndefined()
    await expect(wakeup.next(end.signal)).resolves.toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { Wakeup } from './wakeup.ts'

const { signal } = new AbortController()

describe('a wakeup', () => {
  it('wakes all tasks that wait', async () => {
    const wakeup = new Wakeup()
    const waiting = [wakeup.next(signal), wakeup.next(signal)]
    wakeup.wake()
    await expect(Promise.all(waiting)).resolves.toBeDefined()
  })

  it('wakes all tasks when it ends, and lets none wait after that', async () => {
    const wakeup = new Wakeup()
    const waiting = wakeup.next(signal)
    wakeup.end()
    expect(wakeup.isOver).toBe(true)
    await expect(waiting).resolves.toBeUndefined()
    await expect(wakeup.next(signal)).resolves.toBeUndefined()
  })

  it('lets no task wait whose signal has fired', async () => {
    const wakeup = new Wakeup()
    const end = new AbortController()
    const waiting = wakeup.next(end.signal)
    end.abort()
    await expect(waiting).resolves.toBeUndefined()
    await expect(wakeup.next(end.signal)).resolves.toBeUndefined()
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { whileClockIsOff } from '../../../fixtures/machine-clock.ts'
import { ServerClock } from './server-clock.ts'

const HOUR_MS = 3_600_000

describe('the clock of the server', () => {
  it('shows the time of this machine before the first response', () => {
    expect(Math.abs(new ServerClock().now() - Date.now())).toBeLessThan(1_000)
  })

  it('shows the time of the latest response, and counts on', async () => {
    const clock = new ServerClock()
    const serverTime = Date.now() - 5 * HOUR_MS
    clock.setBy(serverTime, clock.monotonic())
    expect(Math.abs(clock.now() - serverTime)).toBeLessThan(100)
    await sleep(50)
    expect(clock.now()).toBeGreaterThanOrEqual(serverTime + 49)
  })

  it('does not change when the clock of this machine is set', async () => {
    const clock = new ServerClock()
    const before = clock.now()
    const after = await whileClockIsOff(HOUR_MS, async () => clock.now())
    expect(Math.abs(after - before)).toBeLessThan(1_000)
  })

  it('ignores a response that took long, if it does not contradict the responses before it', () => {
    const clock = new ServerClock()
    const serverTime = Date.now()
    clock.setBy(serverTime, clock.monotonic())
    clock.setBy(serverTime - 4_000, clock.monotonic() - 5_000)
    expect(clock.now()).toBeGreaterThanOrEqual(serverTime)
  })

  it('follows a server whose clock is set back', () => {
    const clock = new ServerClock()
    const serverTime = Date.now()
    clock.setBy(serverTime, clock.monotonic())
    clock.setBy(serverTime - HOUR_MS, clock.monotonic() - 20)
    expect(Math.abs(clock.now() - serverTime + HOUR_MS)).toBeLessThan(1_000)
  })
})

import { systemClock } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { heldMemory } from '../../fixtures/held-memory.ts'
import type { ClaimRequest } from '../interfaces/store.ts'
import { type Waiter, Waiters } from './waiters.ts'

function requestFor(noteId: string): ClaimRequest {
  return {
    integration: 'default',
    eventId: 'evt_1',
    note: { noteId },
    gate: 'off',
    leaseMs: 20_000,
    keepMs: 97_200_000,
  }
}

/** Which of them have been woken. */
async function woken(...waiting: Waiter[]): Promise<readonly boolean[]> {
  const states = waiting.map(() => false)
  waiting.forEach(({ turn }, index) => {
    void turn.then(() => {
      states[index] = true
    })
  })
  await new Promise(setImmediate)
  return states
}

describe('attempts that wait for one note in this process', () => {
  it('are not woken by a note of the same id in another integration', async () => {
    const waiters = new Waiters(systemClock)
    const request = requestFor('note_1')
    const waiter = waiters.queue(request)
    waiters.release({ ...request, integration: 'other' })
    expect(await woken(waiter)).toEqual([false])
    waiters.release(request)
    expect(await woken(waiter)).toEqual([true])
  })

  it('are woken one at each release, in their order', async () => {
    const waiters = new Waiters(systemClock)
    const request = requestFor('note_1')
    const [first, second] = [waiters.queue(request), waiters.queue(request)]
    waiters.release(request)
    expect(await woken(first, second)).toEqual([true, false])
    // The first has not left yet.
    waiters.release(request)
    expect(await woken(first, second)).toEqual([true, true])
  })

  it('are woken even if an earlier waiter, which was woken before they queued, leaves late', async () => {
    const waiters = new Waiters(systemClock)
    const request = requestFor('note_1')
    const [first, second] = [waiters.queue(request), waiters.queue(request)]
    waiters.release(request)
    waiters.release(request)
    first.leave()
    const third = waiters.queue(request)
    second.leave()
    waiters.release(request)
    expect(await woken(third)).toEqual([true])
  })

  it('are woken in place of one that has left', async () => {
    const waiters = new Waiters(systemClock)
    const request = requestFor('note_1')
    const [first, second] = [waiters.queue(request), waiters.queue(request)]
    first.leave()
    waiters.release(request)
    expect(await woken(first, second)).toEqual([false, true])
  })

  it('are not woken by the release of another note', async () => {
    const waiters = new Waiters(systemClock)
    const turn = waiters.queue(requestFor('note_1'))
    waiters.release(requestFor('note_2'))
    expect(await woken(turn)).toEqual([false])
  })

  it('take no memory after they have left', async () => {
    const waiters = new Waiters(systemClock)
    const before = await heldMemory()
    for (let note = 0; note < 20_000; note += 1) waiters.queue(requestFor(`note_${note}`)).leave()
    expect((await heldMemory()) - before).toBeLessThan(1_000_000)
    waiters.release(requestFor('note_1'))
  })
})

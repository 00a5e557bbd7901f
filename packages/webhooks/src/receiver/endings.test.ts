import { describe, expect, it } from 'vitest'
import { heldMemory } from '../fixtures/held-memory.ts'
import type { ClaimRequest } from '../interfaces/store.ts'
import { Endings, type Turn } from './endings.ts'

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
async function woken(...turns: Turn[]): Promise<readonly boolean[]> {
  const states = turns.map(() => false)
  turns.forEach(({ comes }, index) => {
    void comes.then(() => {
      states[index] = true
    })
  })
  await new Promise(setImmediate)
  return states
}

describe('those who wait for one note in this process', () => {
  it('are not woken by the note of the same id of another integration', async () => {
    const endings = new Endings()
    const request = requestFor('note_1')
    const turn = endings.queue(request)
    endings.announce({ ...request, integration: 'other' })
    expect(await woken(turn)).toEqual([false])
    endings.announce(request)
    expect(await woken(turn)).toEqual([true])
  })

  it('are woken one at each ending, in the order in which they came', async () => {
    const endings = new Endings()
    const request = requestFor('note_1')
    const [first, second] = [endings.queue(request), endings.queue(request)]
    endings.announce(request)
    expect(await woken(first, second)).toEqual([true, false])
    // The first has not left yet.
    endings.announce(request)
    expect(await woken(first, second)).toEqual([true, true])
  })

  it('are woken although another leaves late that was woken before they came', async () => {
    const endings = new Endings()
    const request = requestFor('note_1')
    const [first, second] = [endings.queue(request), endings.queue(request)]
    endings.announce(request)
    endings.announce(request)
    first.leave()
    const third = endings.queue(request)
    second.leave()
    endings.announce(request)
    expect(await woken(third)).toEqual([true])
  })

  it('are woken in the place of one that has left', async () => {
    const endings = new Endings()
    const request = requestFor('note_1')
    const [first, second] = [endings.queue(request), endings.queue(request)]
    first.leave()
    endings.announce(request)
    expect(await woken(first, second)).toEqual([false, true])
  })

  it('are not woken by an ending of another note', async () => {
    const endings = new Endings()
    const turn = endings.queue(requestFor('note_1'))
    endings.announce(requestFor('note_2'))
    expect(await woken(turn)).toEqual([false])
  })

  it('take no memory when they have left', async () => {
    const endings = new Endings()
    const before = await heldMemory()
    for (let note = 0; note < 20_000; note += 1) endings.queue(requestFor(`note_${note}`)).leave()
    expect((await heldMemory()) - before).toBeLessThan(1_000_000)
    endings.announce(requestFor('note_1'))
  })
})

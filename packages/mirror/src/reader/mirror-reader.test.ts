import { describe, expect, it } from 'vitest'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { mirroredService } from '../../fixtures/mirrored-service.ts'
import { onClock } from '../../fixtures/on-clock.ts'
import { type MirrorStore, openMirror } from '../index.ts'

/** A store that is not available at its first use. */
function unreachableAtFirst(store: MirrorStore): MirrorStore {
  let isReachable = false
  return {
    ...store,
    async migrate() {
      if (isReachable) return await store.migrate()
      isReachable = true
      throw new Error('connect ECONNREFUSED')
    },
  }
}

describe('a mirror that is only read', () => {
  it('works as soon as its store is available', async () => {
    await using world = await mirroredService({ notes: 5 })
    const store = memoryMirror()
    await world.another({ store }).sync()
    const reader = openMirror({ store: unreachableAtFirst(store) })
    await expect(reader.status()).rejects.toThrow('connect ECONNREFUSED')
    expect((await reader.status()).notes.live).toBe(5)
  })

  it('yields valid positions in a loop that began before the first sync', async () => {
    await using world = await mirroredService({ notes: 3 })
    const store = memoryMirror()
    const reader = openMirror({ store: onClock(store, world.service.clock) })
    const told: string[] = []
    const end = new AbortController()
    const following = (async () => {
      for await (const { position } of reader.changes({ follow: true, signal: end.signal })) told.push(position)
    })()
    await world.service.clock.advance('5s')
    await world.another({ store }).sync()
    await world.service.clock.advance('5s')
    end.abort(new Error('enough'))
    await expect(following).rejects.toThrow('enough')
    expect(told.length).toBeGreaterThanOrEqual(3)
    expect(told.at(-1)).toBe((await reader.status()).position)
    for await (const { noteId } of reader.changes({ after: told.at(-1) })) throw new Error(`told of ${noteId} again`)
  })
})

describe('a search', () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('rejects a limit of %s', async (limit) => {
    const reader = openMirror({ store: memoryMirror() })
    await expect(reader.search('budget', limit)).rejects.toMatchObject({ option: 'limit' })
  })
})

import { expect, it } from 'vitest'
import { memoryMirror } from './fixtures/memory-mirror/memory-mirror.ts'
import { mirroredService } from './fixtures/mirrored-service.ts'
import type { MirrorStore } from './index.ts'

/** A mirror that is up to date, and the operations of its store that a function calls. */
async function upToDate() {
  const operations: string[] = []
  const store = new Proxy(memoryMirror(), {
    get(target, name: keyof MirrorStore) {
      // `await` looks for `then`.
      if (name in target) operations.push(name)
      return target[name]
    },
  })
  const world = await mirroredService({ notes: 3 }, { store })
  await world.mirror.sync()
  async function operationsOf(operate: () => Promise<unknown>): Promise<readonly string[]> {
    operations.length = 0
    await operate()
    return [...operations]
  }
  return { world, store, operationsOf }
}

it('checks for work with one read of the store', async () => {
  const { world, operationsOf } = await upToDate()
  await using _ = world
  expect(await operationsOf(() => world.mirror.work())).toEqual(['readProgress'])
  expect(await operationsOf(() => world.mirror.settle())).toEqual(['readProgress'])
})

it('polls with one read and two commits if nothing has changed', async () => {
  const { world, operationsOf } = await upToDate()
  await using _ = world
  expect(await operationsOf(() => world.mirror.sync())).toEqual(['readProgress', 'commit', 'commit'])
})

it('writes nothing when a process first uses an existing mirror', async () => {
  const { world, store, operationsOf } = await upToDate()
  await using _ = world
  const mirror = world.another({ store })
  expect(await operationsOf(() => mirror.get('note_1'))).toEqual(['migrate', 'listNotes'])
})

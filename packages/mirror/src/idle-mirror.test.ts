import { expect, it } from 'vitest'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { mirroredService } from '../fixtures/mirrored-service.ts'
import type { MirrorStore } from './index.ts'

/** A mirror that is up to date, and the operations of its store that a function calls. */
async function upToDate() {
  const operations: string[] = []
  const memory = memoryMirror()
  const recorded = <Target extends object>(target: Target, prefix: string) =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        operations.push(`${prefix}${String(name)}`)
        return member.bind(target)
      },
    })
  const integrations = recorded(memory.integrations, 'integrations.')
  const store: MirrorStore = recorded({ ...memory, integrations }, '')
  const world = await mirroredService({ notes: 3 }, { store })
  await world.mirror.sync()
  async function operationsOf(operate: () => Promise<unknown>): Promise<readonly string[]> {
    operations.length = 0
    await operate()
    return [...operations]
  }
  return { world, store, operationsOf }
}

it('checks for work with two reads of the store', async () => {
  const { world, operationsOf } = await upToDate()
  await using _ = world
  expect(await operationsOf(() => world.mirror.work())).toEqual(['integrations.list', 'readProgress'])
  expect(await operationsOf(() => world.mirror.settle())).toEqual(['integrations.list', 'readProgress'])
})

it('polls with one read and three writes if nothing has changed', async () => {
  const { world, operationsOf } = await upToDate()
  await using _ = world
  expect(await operationsOf(() => world.mirror.sync())).toEqual([
    'integrations.list',
    'integrations.take',
    'commit',
    'integrations.write',
  ])
})

it('writes nothing when a process first uses an existing mirror', async () => {
  const { world, store, operationsOf } = await upToDate()
  await using _ = world
  const mirror = world.another({ store })
  expect(await operationsOf(() => mirror.get('note_1'))).toEqual(['migrate', 'listNotes'])
})

import type { Clock } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { integrationsOf } from '../fixtures/integrations-of.ts'
import { keptContent } from '../fixtures/kept-content.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { mirroredService } from '../fixtures/mirrored-service.ts'
import { whileRunning } from '../fixtures/while-running.ts'
import { withMembers } from '../fixtures/with-members.ts'
import type { MirrorStore } from './index.ts'

const DAY_MS = 86_400_000

/** A clock that is ahead of another until it is corrected. */
function aClockAhead(of: Clock, ms: number) {
  let ahead = ms
  return {
    now: () => of.now() + ahead,
    sleep: (pause: number, signal?: AbortSignal) => of.sleep(pause, signal),
    setRight: () => {
      ahead = 0
    },
  }
}

/** A store whose process dies after a number of commits. */
function dyingAfter(commits: number, store: MirrorStore): MirrorStore {
  let left = commits
  const isDead = () => left < 0
  const write: MirrorStore['integrations']['write'] = async (...rows) => {
    if (isDead()) throw new Error('the process died')
    return await store.integrations.write(...rows)
  }
  return {
    ...store,
    integrations: withMembers(store.integrations, { write }),
    async commit(...commit) {
      left -= 1
      if (isDead()) throw new Error('the process died')
      return await store.commit(...commit)
    },
  }
}

describe('a mirror whose clock was a month ahead and is corrected', () => {
  async function setRight() {
    const world = await mirroredService({ notes: 3 })
    const clock = aClockAhead(world.service.clock, 30 * DAY_MS)
    const mirror = world.another({ clock })
    await mirror.sync({ fullListing: 'now' })
    clock.setRight()
    return { ...world, mirror }
  }

  it('polls immediately, and then every few minutes', async () => {
    await using world = await setRight()
    world.service.owner.record().end()
    expect(await world.mirror.work()).toMatchObject({ listed: true, nextAt: world.service.clock.now() + 300_000 })
    expect((await world.mirror.status()).notes.live).toBe(4)
    expect(await world.mirror.work()).toMatchObject({ listed: false })
  })

  it('does not say that the copy is correct as of a time in the future', async () => {
    await using world = await setRight()
    expect((await world.mirror.status()).correctAsOf).toBeNull()
    await world.mirror.sync()
    expect((await world.mirror.status()).correctAsOf).not.toBeNull()
  })

  it('lists all notes immediately, because the time of the last full listing is unknown', async () => {
    await using world = await setRight()
    await world.mirror.sync()
    const { correctAsOf } = await world.mirror.status()
    expect(correctAsOf?.getTime()).toBeLessThanOrEqual(world.service.clock.now())
  })

  it('replaces a process that died while it listed', async () => {
    await using world = await mirroredService({ notes: 3 })
    const store = memoryMirror()
    const clock = aClockAhead(world.service.clock, 30 * DAY_MS)
    const dying = world.another({ store: dyingAfter(3, store), clock })
    await expect(dying.sync()).rejects.toThrow('the process died')
    expect((await integrationsOf(store).get('default'))?.leaseUntil).not.toBeNull()
    expect(await world.another({ store }).sync()).toMatchObject({ listed: true })
  })

  it('immediately reads notes that were postponed', async () => {
    await using world = await mirroredService({ notes: 3 }, {}, { maxRetries: 0 })
    const store = memoryMirror()
    const clock = aClockAhead(world.service.clock, 30 * DAY_MS)
    const request = 'GET /v1/notes/*/transcript'
    const fault = world.service.faults.inject({ request, fault: { kind: 'status', status: 500 } })
    await world.another({ store, clock }).sync()
    fault.remove()
    const mirror = world.another({ store })
    expect((await mirror.status()).notes.unsettled).toBe(3)
    await mirror.sync()
    expect((await mirror.status()).notes).toMatchObject({ live: 3, unsettled: 0 })
  })
})

it('erases notes that an event hid while the clock was a month ahead', async () => {
  const store = memoryMirror()
  await using world = await mirroredService({ notes: 3 }, { store }, { maxRetries: 0 })
  const clock = aClockAhead(world.service.clock, 30 * DAY_MS)
  const ahead = world.another({ store, clock })
  await ahead.sync()
  await world.service.connect((secret) => ahead.receiver({ secret, clock: world.service.clock }).fetch)
  world.service.faults.inject({ request: 'GET /v1/notes/*', fault: { kind: 'status', status: 500 } })
  for (const note of world.service.owner.notes()) note.delete()
  await world.service.settled()
  expect(await keptContent(store)).toBe(3)
  await world.service.clock.advance('61m')
  await world.mirror.settle().catch(() => undefined)
  expect(await keptContent(store)).toBe(0)
})

describe('two mirrors whose clocks differ by some minutes', () => {
  it('poll no more often than one', async () => {
    await using world = await mirroredService({ notes: 3 })
    const store = memoryMirror()
    const ahead = world.another({ store, clock: aClockAhead(world.service.clock, 4 * 60_000) })
    const other = world.another({ store })
    await ahead.sync()
    const before = world.asked().length
    await whileRunning(ahead, () => whileRunning(other, () => world.service.clock.advance('1h')))
    expect(world.asked().length - before).toBeLessThanOrEqual(13)
  })
})

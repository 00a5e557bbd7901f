import { setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { systemClock } from '@notewire/protocol'
import { describe, expect, it, vi } from 'vitest'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { copyIn, type MirroredService, mirroredService, truthOf } from '../fixtures/mirrored-service.ts'
import { withMembers } from '../fixtures/with-members.ts'

describe('two processes on one mirror', () => {
  it('share the work: one lists, both read, and not all notes are read twice', async () => {
    await using world = await mirroredService({ notes: 200 })
    const { baseUrl, apiKey } = world.service
    const store = memoryMirror()
    const client = new NotesClient({
      baseUrl,
      apiKey,
      async fetch(request) {
        await sleep(5)
        return await world.service.fetch(request)
      },
    })
    const [one, other] = [0, 1].map(() => world.another({ store, client, clock: systemClock }))
    let isSynced = false
    const syncing = one?.sync().finally(() => {
      isSynced = true
    })
    let settledByOther = 0
    while (!isSynced) {
      settledByOther += (await other?.settle())?.settled ?? 0
      await sleep(1)
    }
    expect(await syncing).toMatchObject({ listed: true })
    expect(settledByOther).toBeGreaterThan(20)
    const reads = world.asked().filter((line) => line.includes('/summary')).length
    // How many are depends on how busy the machine is.
    expect(reads).toBeLessThan(2 * 200)
    expect(await copyIn(world.another({ store }))).toEqual(await truthOf(world.client))
  })

  it('a second run fetches the notes while the first works: here the first waits for content for ever', async () => {
    await using world = await mirroredService({ notes: 200 })
    const store = memoryMirror()
    const end = new AbortController()
    const { baseUrl, apiKey, fetch } = world.service
    const client = new NotesClient({
      baseUrl,
      apiKey,
      async fetch(request) {
        if (new URL(request.url).pathname === '/v1/notes') return await fetch(request)
        return await new Promise((_, reject) =>
          request.signal.addEventListener('abort', () => reject(end.signal.reason)),
        )
      },
    })
    const other = world.another({ store, clock: systemClock })
    const runs = [world.another({ store, client, clock: systemClock }), other].map((mirror) =>
      mirror.run({ signal: end.signal }),
    )
    await vi.waitFor(
      async () => expect((await other.status()).notes).toMatchObject({ live: 200, unsettled: 0 }),
      10_000,
    )
    end.abort()
    await Promise.all(runs)
    expect(await copyIn(other)).toEqual(await truthOf(world.client))
  })

  it('do not list at the same time: the second sync waits for the first, and lists again', async () => {
    await using world = await mirroredService({ notes: 300 })
    const store = memoryMirror()
    const syncs = [world.another({ store }), world.another({ store })].map((mirror) => mirror.sync())
    const reports = await whileClockAdvances(world, Promise.all(syncs))
    expect(reports).toMatchObject([{ listed: true }, { listed: true }])
    expect(world.asked().filter((line) => line === 'GET /v1/notes').length).toBe(3 + 1)
  })

  it('a sync gives up after 30 s if the other still lists, and that one polls again', async () => {
    await using world = await mirroredService({ notes: 3 })
    const store = memoryMirror()
    const [gate, isListing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const client = new NotesClient({
      baseUrl: world.service.baseUrl,
      apiKey: world.service.apiKey,
      async fetch(request) {
        isListing.resolve()
        await gate.promise
        return await world.service.fetch(request)
      },
    })
    const running = world.another({ store, client })
    const end = new AbortController()
    const run = running.run({ signal: end.signal })
    await isListing.promise
    const sync = world.another({ store }).sync()
    sync.catch(() => undefined)
    await whileClockAdvances(
      world,
      sync.catch(() => undefined),
    )
    await expect(sync).rejects.toMatchObject({
      code: 'mirror_in_use',
      worker: expect.stringContaining(`process ${process.pid}`),
      until: expect.any(Date),
    })
    gate.resolve()
    await whileClockAdvances(
      world,
      vi.waitFor(() => expect(polls(world)).toBeGreaterThan(1), 10_000),
    )
    end.abort()
    await run
  })

  it('two syncs of one process follow each other, without a limit of time', async () => {
    await using world = await mirroredService({ notes: 3 })
    const reports = await Promise.all([world.mirror.sync(), world.mirror.sync(), world.mirror.sync()])
    expect(reports).toMatchObject([{ listed: true }, { listed: true }, { listed: true }])
  })

  it('a sync takes over from run of its process', async () => {
    await using world = await mirroredService({ notes: 1_000 })
    const end = new AbortController()
    const run = world.mirror.run({ signal: end.signal })
    while ((await world.mirror.status()).notes.live === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await world.mirror.sync()).toMatchObject({ listed: true })
    expect((await world.mirror.status()).notes).toMatchObject({ live: 1_000, unsettled: 0 })
    end.abort()
    await run
  })

  it('work waits for the lease of the other, which may have crashed', async () => {
    await using world = await mirroredService({ notes: 300 })
    const store = memoryMirror()
    const crashed = new AbortController()
    const unlessCrashed = <Result>(operate: () => Promise<Result>) =>
      crashed.signal.aborted ? new Promise<never>(() => undefined) : operate()
    const hanging = {
      ...store,
      commit: (...commit: Parameters<typeof store.commit>) => unlessCrashed(() => store.commit(...commit)),
      integrations: withMembers(store.integrations, {
        write: (...rows: Parameters<typeof store.integrations.write>) =>
          unlessCrashed(() => store.integrations.write(...rows)),
      }),
    }
    const hooks = { onProgress: () => crashed.abort() }
    void world
      .another({ store: hanging, hooks })
      .sync()
      .catch(() => undefined)
    await new Promise<void>((resolve) => crashed.signal.addEventListener('abort', () => resolve()))
    const mirror = world.another({ store })
    const report = await mirror.work()
    expect(report.listed).toBe(false)
    expect(report.nextAt).toBeGreaterThan(world.service.clock.now())
    await world.service.clock.advance('2m')
    expect(await mirror.work()).toMatchObject({ listed: true })
    expect(await copyIn(mirror)).toEqual(await truthOf(world.client))
  })
})

const polls = (world: MirroredService) => world.asked().filter((line) => line === 'GET /v1/notes').length

/** Advances the clock until the work has ended. */
async function whileClockAdvances<Result>({ service }: MirroredService, work: Promise<Result>): Promise<Result> {
  let hasEnded = false
  const ended = work.finally(() => {
    hasEnded = true
  })
  ended.catch(() => undefined)
  while (!hasEnded) {
    await service.clock.advance(50)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return await ended
}

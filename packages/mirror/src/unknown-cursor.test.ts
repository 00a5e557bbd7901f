import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNotesService } from '@notewire/mock-server'
import { describe, expect, it } from 'vitest'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { onClock } from '../fixtures/on-clock.ts'
import { PAGED_SERVICE_URL, type PagedService, pagedService, refusal } from '../fixtures/paged-service.ts'
import { SILENT } from '../fixtures/silent-logger.ts'
import { createMirror, createMirrors, type Mirror } from './index.ts'
import { sqliteMirror } from './stores/sqlite/index.ts'

const UNKNOWN: readonly (readonly [status: number, code: string | undefined])[] = [
  [400, undefined],
  [404, undefined],
  [409, 'cursor_expired'],
  [410, undefined],
  [422, 'validation'],
  [500, 'cursor_expired'],
  [403, 'invalid_cursor'],
]
const UNRELATED = [401, 402, 403, 429, 502, 503]

/** The listings of a mirror. Each begins with the state in which page one was applied, and the request of page two has failed. */
const LISTINGS = {
  backfill: { fullListing: 'never', before: () => Promise.resolve() },
  poll: { fullListing: 'never', before: pollOfAll },
  'full listing': {
    fullListing: 'now',
    before: (mirror: Mirror) => mirror.sync({ fullListing: 'never' }).then(() => undefined),
  },
} as const

/** Completes the backfill. The polls that follow list all notes, because the service ignores the time. */
async function pollOfAll(mirror: Mirror, service: PagedService): Promise<void> {
  await mirror.sync({ fullListing: 'never' })
  const { fetch } = service
  service.fetch = (request) => {
    const url = new URL(request.url)
    url.searchParams.delete('updated_after')
    return fetch(new Request(url, request))
  }
}

describe.each(['backfill', 'poll', 'full listing'] as const)('the stored cursor of a %s', (listing) => {
  const { fullListing, before } = LISTINGS[listing]

  async function interrupted(notes = 300) {
    const service = pagedService(notes)
    const store = memoryMirror()
    const { clock } = await createNotesService()
    const problems: unknown[] = []
    const hooks = { onProblem: ({ error }: { readonly error: unknown }) => problems.push(error) }
    // Another mirror on the same store is another process.
    const restarted = () =>
      createMirror({ client: service.client, store: onClock(store, clock), keep: [], hooks, logger: SILENT })
    await before(restarted(), service)
    let wasAnswered = false
    service.answer = (cursor) => {
      if (cursor === null) wasAnswered = true
      return wasAnswered && cursor !== null ? refusal(503) : undefined
    }
    await expect(restarted().sync({ fullListing })).rejects.toMatchObject({ status: 503 })
    service.answer = () => undefined
    const cursor = service.asked.at(-1)
    service.asked.length = 0
    return { service, clock, cursor, problems, restarted }
  }

  it.each(UNKNOWN)('that the service answers with %i %s makes the listing begin again', async (status, code) => {
    const { service, cursor, restarted } = await interrupted()
    service.answer = (asked) => (asked === cursor ? refusal(status, code) : undefined)
    await restarted().sync({ fullListing })
    expect(service.asked.filter((asked) => asked === cursor)).toHaveLength(1)
    expect((await restarted().status()).notes).toMatchObject({ live: 300, dirty: 0, gone: 0 })
  })

  it('that the service answers with 500 is left at the third such answer, also in other processes', async () => {
    const { service, cursor, restarted } = await interrupted()
    service.answer = (asked) => (asked === cursor ? refusal(500) : undefined)
    for (let failures = 0; failures < 2; failures += 1) {
      await expect(restarted().sync({ fullListing })).rejects.toMatchObject({ status: 500 })
    }
    await restarted().sync({ fullListing })
    expect(service.asked.filter((asked) => asked === cursor)).toHaveLength(3)
    expect((await restarted().status()).notes).toMatchObject({ live: 300 })
  })

  it('is kept if the service answers 500 to everything, however often', async () => {
    const { service, cursor, restarted } = await interrupted()
    service.answer = () => refusal(500)
    for (let failures = 0; failures < 12; failures += 1) {
      await expect(restarted().sync({ fullListing })).rejects.toMatchObject({ status: 500 })
    }
    service.answer = () => undefined
    service.asked.length = 0
    await restarted().sync({ fullListing: fullListing === 'now' ? 'when-due' : fullListing })
    expect(service.asked).toContain(cursor)
    expect(service.asked).not.toContain(null)
  })

  it.each(UNRELATED)('is kept, however often the service answers with %i', async (status) => {
    const { service, cursor, restarted } = await interrupted()
    service.answer = (asked) => (asked === cursor ? refusal(status) : undefined)
    for (let failures = 0; failures < 12; failures += 1) {
      await expect(restarted().sync({ fullListing })).rejects.toMatchObject({ status })
    }
    expect(service.asked.every((asked) => asked === cursor)).toBe(true)
    service.answer = () => undefined
    service.asked.length = 0
    await restarted().sync({ fullListing: fullListing === 'now' ? 'when-due' : fullListing })
    expect(service.asked).toContain(cursor)
  })

  it('is kept if page one fails after it was refused once', async () => {
    const { service, cursor, restarted } = await interrupted()
    service.answer = (asked) => refusal(asked === null ? 503 : 400)
    await expect(restarted().sync({ fullListing })).rejects.toMatchObject({ status: 503 })
    service.answer = () => undefined
    service.asked.length = 0
    await restarted().sync({ fullListing: fullListing === 'now' ? 'when-due' : fullListing })
    expect(service.asked.slice(0, fullListing === 'now' ? 2 : 1)).toContain(cursor)
    expect((await restarted().status()).notes).toMatchObject({ live: 300 })
  })

  it('waits before the third restart that gets no further, an hour at most, and says so', async () => {
    const { service, clock, problems, restarted } = await interrupted()
    service.answer = (asked) => (asked === null ? undefined : refusal(410))
    const stop = new AbortController()
    const running = restarted().run({ signal: stop.signal })
    await clock.advance('24h')
    expect(service.asked.filter((asked) => asked === null).length).toBeLessThan(400)
    expect(problems).toContainEqual(expect.objectContaining({ code: 'listing_stalled' }))
    service.answer = () => undefined
    await clock.advance('70m')
    stop.abort()
    await running
    expect((await restarted().status()).notes).toMatchObject({ live: 300, gone: 0 })
  })
})

it('a full listing that begins again does not take a note for listed that only the earlier pages contained', async () => {
  const service = pagedService(300)
  const mirror = createMirror({ client: service.client, store: memoryMirror(), keep: [], logger: SILENT })
  await mirror.sync({ fullListing: 'never' })
  let isForgotten = false
  service.answer = (cursor) => {
    if (cursor === null || isForgotten) return undefined
    isForgotten = true
    service.noteIds.delete('note_00007')
    return refusal(410)
  }
  await mirror.sync({ fullListing: 'now' })
  const { notes, lastFullListing } = await mirror.status()
  expect(notes).toMatchObject({ live: 299, gone: 1, dirty: 0 })
  expect(lastFullListing).toMatchObject({ seen: 299, missing: 1 })
})

it('createMirrors leaves an unknown cursor, waits before the third restart, and goes on when the service has recovered', async () => {
  const service = pagedService(300)
  const { clock } = await createNotesService()
  const problems: unknown[] = []
  const { fetch } = service
  const mirrors = createMirrors({
    store: memoryMirror({ clock }),
    keep: [],
    connect: () => ({ baseUrl: PAGED_SERVICE_URL, apiKey: 'ntw_live_k1.secret', fetch }),
    hooks: { onProblem: ({ error }) => problems.push(error) },
    logger: SILENT,
  })
  await mirrors.add('customer')
  service.answer = (cursor) => (cursor === null ? undefined : refusal(409, 'cursor_expired'))
  const stop = new AbortController()
  const running = mirrors.run({ signal: stop.signal })
  await clock.advance('4h')
  expect(requestsOfPageOne(service)).toBeLessThan(20)
  expect(problems).toContainEqual(expect.objectContaining({ code: 'listing_stalled' }))
  service.answer = () => undefined
  await clock.advance('70m')
  stop.abort()
  await running
  expect((await mirrors.of('customer').status()).notes).toMatchObject({ live: 300, gone: 0 })
})

function requestsOfPageOne({ asked }: PagedService): number {
  return asked.filter((cursor) => cursor === null).length
}

it.each([410, 500])(
  'a process that starts later leaves a cursor in SQLite that is answered with %i',
  async (status) => {
    const folder = await mkdtemp(join(tmpdir(), 'notewire-unknown-cursor-'))
    const service = pagedService(300)
    const sync = async () => {
      const store = sqliteMirror(join(folder, 'notes.db'))
      try {
        const mirror = createMirror({ client: service.client, store, keep: [], logger: SILENT })
        return await mirror.sync({ fullListing: 'never' }).then(
          async () => (await mirror.status()).notes.live,
          (error: { readonly status: number }) => error.status,
        )
      } finally {
        store.close()
      }
    }
    service.answer = (cursor) => (cursor === null ? undefined : refusal(503))
    expect(await sync()).toBe(503)
    const cursor = service.asked.at(-1)
    service.answer = (asked) => (asked === cursor ? refusal(status) : undefined)
    if (status === 500) expect([await sync(), await sync()]).toEqual([500, 500])
    expect(await sync()).toBe(300)
    await rm(folder, { recursive: true })
  },
)

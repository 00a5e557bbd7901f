import { NotesClient } from '@notewire/client'
import { type Clock, systemClock } from '@notewire/protocol'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type MirroredService, mirroredService } from '../../fixtures/mirrored-service.ts'
import type { MirrorStore } from '../../index.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-database.ts'
import { postgresMirror } from './index.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
const OFF = [-YEAR_MS, -HOUR_MS, HOUR_MS, 23 * HOUR_MS, 300 * 24 * HOUR_MS] as const
const SECRET = 'whsec_c2VjcmV0LW9mLXRoaXMtdGVzdC1hbmQtbm8tb3RoZXI'
const TRANSCRIPT = 'GET /v1/notes/*/transcript'

let databases: TestDatabases
let store: MirrorStore
let world: MirroredService
beforeAll(async () => {
  databases = await startDatabases()
})
beforeEach(async () => {
  store = postgresMirror(await databases.migratedPool())
  world = await mirroredService({ notes: 1, clock: 'real' }, {}, { maxRetries: 0 })
  onTestFinished(() => world[Symbol.asyncDispose]())
})
afterAll(() => databases.cleanUp.disposeAsync())

function clockOff(byMs: number): Clock {
  return { ...systemClock, now: () => Date.now() + byMs }
}

function mirrorOff(byMs: number) {
  return world.another({ store, clock: clockOff(byMs) })
}

async function nextDueAt(now: number): Promise<number> {
  return (await store.readProgress('default', now)).nextDueAt ?? Number.NaN
}

describe('in PostgreSQL, a mirror whose clock is off', () => {
  it.each(OFF)('by %d ms delays the retry of a note only by its pause', async (byMs) => {
    const fault = world.service.faults.inject({ request: TRANSCRIPT, fault: { kind: 'status', status: 500 } })
    await mirrorOff(byMs).sync()
    expect(Math.abs((await nextDueAt(Date.now())) - Date.now())).toBeLessThan(60_000)
    expect(Math.abs((await nextDueAt(Date.now() + byMs)) - Date.now() - byMs)).toBeLessThan(60_000)
    fault.remove()
    // A second write must not convert the time again.
    await mirrorOff(0).sync({ scan: 'now' })
    expect((await mirrorOff(0).status()).notes).toMatchObject({ live: 1 })
  })

  it.each(OFF)(
    'by %d ms, and is set right while content is read, does not delay the next read of the note',
    async (byMs) => {
      let off = byMs
      let transcripts = 0
      const { baseUrl, apiKey } = world.service
      const fetch = async (request: Request) => {
        if (!request.url.endsWith('/transcript')) return await world.service.fetch(request)
        transcripts += 1
        // The announced content is read at the same time as the note, and the content of the note after it.
        if (transcripts === 2) return new Response(null, { status: 503 })
        if (transcripts === 3) off = 0
        return await world.service.fetch(request)
      }
      const client = new NotesClient({ baseUrl, apiKey, maxRetries: 0, fetch })
      const mirror = world.another({ client, store, clock: { ...systemClock, now: () => Date.now() + off } })
      await mirror.sync()
      const [note] = world.service.owner.notes()
      note?.edit({ title: 'Edited' })
      const noteId = note?.note_id ?? ''
      const attempt = await signAttempt(SECRET, anEvent({ kind: 'note.updated', noteId, revision: 99 }), {
        signedAt: Date.now() + off,
      })
      const request = new Request('https://receiver.test/', { method: 'POST', ...attempt })
      expect((await mirror.receiver({ secret: SECRET }).fetch(request)).status).toBe(204)
      await mirror.settle()
      expect(transcripts).toBe(3)
      expect(Math.abs((await nextDueAt(Date.now())) - Date.now())).toBeLessThan(60_000)
    },
  )

  it.each(OFF)('by %d ms takes no note that another process is reading', async (byMs) => {
    await mirrorOff(0).sync()
    const [note] = world.service.owner.notes()
    const { notes } = await store.load('default', [note?.note_id ?? ''])
    const [known] = notes.values()
    if (known === undefined) throw new Error('the note is not stored')
    const now = Date.now()
    const dirty = { ...known.state, dirty: 1, dueAt: now }
    const write = { notes: [{ state: dirty, expectedVersion: known.version }], now }
    expect(await store.commit('default', write)).toBe('committed')
    const lease = (at: number) => ({ now: at, until: at + 60_000, limit: 1 })
    const [taken] = (await store.takeDue('default', lease(now))).notes
    expect(taken).toBeDefined()
    const theirs = Date.now() + byMs
    const refused = await store.takeDue('default', lease(theirs))
    expect(refused.notes).toEqual([])
    expect(Math.abs((refused.nextDueAt ?? 0) - theirs - 60_000)).toBeLessThan(5_000)
    // A state that is written back keeps the time of the server.
    if (taken === undefined) return
    const again = { notes: [{ state: taken.state, expectedVersion: taken.version }], now: theirs }
    expect(await store.commit('default', again)).toBe('committed')
    expect(Math.abs((await nextDueAt(Date.now())) - Date.now() - 60_000)).toBeLessThan(5_000)
  })

  it.each(OFF)('by %d ms shows no past time that is in the future', async (byMs) => {
    await mirrorOff(byMs).sync()
    await store.commit('default', { notes: [], heardAt: Date.now() + byMs, now: Date.now() + byMs })
    const { correctAsOf, polledAt, heardAt } = await mirrorOff(0).status()
    for (const time of [correctAsOf, polledAt, heardAt]) {
      expect(time?.getTime() ?? 0).toBeLessThanOrEqual(Date.now())
    }
    expect(Math.abs((heardAt?.getTime() ?? 0) - Date.now())).toBeLessThan(5_000)
  })
})

import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { NotesClient } from '@notewire/client'
import { createMirror, type Mirror } from '@notewire/mirror'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import { afterAll, describe, expect, it, onTestFailed } from 'vitest'
import { SILENT } from '../packages/mirror/fixtures/silent-logger.ts'
import { BusyOwner } from './mirror-under-fire/busy-owner.ts'
import { copyOf, truthOf } from './mirror-under-fire/copy-and-truth.ts'
import { Crew } from './mirror-under-fire/crew.ts'
import { openStore } from './mirror-under-fire/open-store.ts'
import type { WorkerSettings } from './mirror-under-fire/worker-settings.ts'
import { startPostgres } from './servers/postgres.ts'
import { Random } from './simulation/random.ts'
import { isProof } from './test-run.ts'

const NOTES = 150
const WORKERS = 3
const ROUNDS = isProof ? 60 : 4
/** After so many rounds without three acknowledged deletions, something else is wrong. */
const MOST_ROUNDS = 60

/** Determines the operations of the owner and the lost events. Durations are not determined. */
const seed = Number(process.env['FIRE_SEED'] ?? randomInt(2 ** 31))

const cleanUps: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
})

const stores = [
  {
    name: 'one file of SQLite',
    async make() {
      const folder = await mkdtemp(join(tmpdir(), 'notewire-mirror-'))
      cleanUps.push(() => rm(folder, { recursive: true }))
      return { engine: 'sqlite' as const, place: join(folder, 'notes.db'), crash: async () => undefined }
    },
  },
  {
    name: 'PostgreSQL, which is killed as well',
    async make() {
      const server = await startPostgres({ durable: true })
      cleanUps.push(() => server.stop())
      return { engine: 'postgres' as const, place: server.url, crash: () => server.crashAndRestart() }
    },
  },
]

describe.each(stores)('three processes that keep a mirror on $name', ({ make }) => {
  it('are killed repeatedly, miss events, and finally agree with the service', async () => {
    onTestFailed(() =>
      console.error(
        `The same acts again: FIRE_SEED=${seed} npx vitest run --config vitest.workspace.ts --project mirror-under-fire`,
      ),
    )
    const random = new Random(seed, 0)
    const { engine, place, crash } = await make()
    const service = await createNotesService({
      seed,
      notes: NOTES,
      clock: 'real',
      disorder: { duplicated: 0.2, failing: 0.3 },
    })
    cleanUps.push(() => service.close())
    await service.listen()
    let crew: Crew | undefined
    const acknowledged = new Set<string>()
    await service.connect((secret) => {
      const settings: WorkerSettings = { engine, place, baseUrl: service.baseUrl, apiKey: service.apiKey, secret }
      const hired = new Crew(new URL('mirror-under-fire/worker.ts', import.meta.url), () => settings)
      crew = hired
      let isVerified = false
      return async (request) => {
        if (!isVerified) {
          isVerified = true
          return new Response(null, { status: 204 })
        }
        const { event_type, data } = (await request.clone().json()) as Told
        const response = await hired.answer(request, random.integer(0, 99))
        // A note that came back after `access_lost` may be shown until the event of its deletion is acknowledged.
        if (response.ok && event_type === 'note.deleted' && data.reason === 'deleted') acknowledged.add(data.note_id)
        return response
      }
    })
    if (crew === undefined) throw new Error('the service has created no receiver')
    cleanUps.push(() => crew?.killAll() ?? Promise.resolve())
    for (let count = 0; count < WORKERS; count += 1) await crew.hire()

    const { store, close } = await openStore({ engine, place })
    cleanUps.push(close)
    const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey })
    const mirror = createMirror({ client, store, logger: SILENT })
    const owner = new BusyOwner(service, random)
    // How many deliveries the workers live to answer depends on the machine. Few deletions test little.
    const isTested = (round: number) => round >= ROUNDS && acknowledged.size >= 3
    for (let round = 0; round < MOST_ROUNDS && !isTested(round); round += 1) {
      for (let acts = random.integer(3, 12); acts > 0; acts -= 1) owner.act()
      await sleep(random.integer(100, 500))
      await crew.killOne()
      if (round % 4 === 2) await crash()
      await crew.hire()
      expect(await shownThoughDeleted(mirror, owner, acknowledged)).toEqual([])
    }
    await crew.killAll()
    await untilSummarised(service)
    const truth = await truthOf(service)
    await syncUntil(mirror, async () => isDeepStrictEqual(await copyOf(mirror), truth))
    expect(await copyOf(mirror)).toEqual(truth)
    expect(acknowledged.size).toBeGreaterThanOrEqual(3)
    expect((await mirror.status()).notes.gone).toBeGreaterThanOrEqual(acknowledged.size)
  })
})

interface Told {
  readonly event_type: string
  readonly data: { readonly note_id: string; readonly reason?: 'deleted' | 'access_lost' }
}

/** Notes that are permanently deleted, whose event was acknowledged, and that the mirror still shows. */
async function shownThoughDeleted(mirror: Mirror, { deleted }: BusyOwner, acknowledged: ReadonlySet<string>) {
  const gone = [...deleted].filter((noteId) => acknowledged.has(noteId))
  const shown = await Promise.all(
    gone.map(async (noteId) => ((await mirror.get(noteId)) === undefined ? [] : [noteId])),
  )
  return shown.flat()
}

/** Waits until no summary is in progress. */
async function untilSummarised(service: NotesService): Promise<void> {
  const isWritten = async () =>
    [...(await truthOf(service)).values()].every((note) => !JSON.stringify(note).includes('"pending"'))
  for (let tries = 0; tries < 240; tries += 1) {
    if (await isWritten()) return
    await sleep(500)
  }
  throw new Error('The service has not made all summaries within two minutes.')
}

/** Does the remaining work of all processes. The claims of killed processes expire meanwhile. */
async function syncUntil(mirror: Mirror, isDone: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    const { listed } = await mirror.sync({ fullListing: 'now' })
    if (listed && (await isDone())) return
    await sleep(1_000)
  }
}

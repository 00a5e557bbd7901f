import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { NotesClient } from '@notewire/client'
import { createMirrors } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { type Channel, createNotesService, type NotesService } from '@notewire/mock-server'
import { expect, it, onTestFailed } from 'vitest'
import { SILENT } from '../packages/mirror/fixtures/silent-logger.ts'
import { clockAhead } from './many-mirrors/clock-ahead.ts'
import { startFront } from './many-mirrors/front.ts'
import { applyToTitles, TITLES_TABLES } from './many-mirrors/titles-table.ts'
import type { ManySettings } from './many-mirrors/worker-settings.ts'
import { Crew } from './mirror-under-fire/crew.ts'
import { startPostgres } from './servers/postgres.ts'
import { openPool } from './servers/test-databases.ts'
import { Random } from './simulation/random.ts'
import { isProof } from './test-run.ts'

const INTEGRATIONS = 4
const NOTES = 20
const WORKERS = 3
const KILLS = isProof ? 60 : 3
/** More than a consumer of all changes needs. */
const MOST_ROUNDS = 1_000
/** How much the clock of each new worker is ahead of the previous one: the leases of six workers ago have expired. */
const AHEAD_MS = 10_000

/** Determines the owner's acts and the lost deliveries, but not the timing. */
const seed = Number(process.env['FIRE_SEED'] ?? randomInt(2 ** 31))

it('loses no note and shows none twice when three processes with mirrors of four integrations are killed, and PostgreSQL crashes', async () => {
  onTestFailed(() =>
    console.error(
      `To repeat the same acts: FIRE_SEED=${seed} npx vitest run --config vitest.workspace.ts --project many-mirrors-under-fire`,
    ),
  )
  const random = new Random(seed, 0)
  await using cleanUp = new AsyncDisposableStack()
  const server = cleanUp.use(await startPostgres({ durable: true }))
  const pool = openPool(server.url, { max: 4 })
  cleanUp.defer(() => pool.end())
  await pool.query('CREATE TABLE secrets (integration text PRIMARY KEY, secret text NOT NULL)')
  await pool.query(TITLES_TABLES)

  const service = await createNotesService({
    seed,
    notes: 0,
    clock: 'real',
    disorder: { duplicated: 0.2, failing: 0.3 },
  })
  cleanUp.defer(() => service.close())
  await service.listen()
  const owner = new OwnerOfChannels(service, random)
  const keys = Object.fromEntries(
    owner.channels.map((channel, index) => [
      `customer-${index}`,
      service.owner.createIntegration({ channels: [channel] }).issueKey().key,
    ]),
  )

  const integrations = Object.keys(keys)

  let aheadMs = 0
  const crew = new Crew(new URL('many-mirrors/worker.ts', import.meta.url), () => {
    aheadMs += AHEAD_MS
    return { place: server.url, baseUrl: service.baseUrl, keys, aheadMs } satisfies ManySettings
  })
  cleanUp.defer(() => crew.killAll())
  const front = await startFront((request) => crew.answer(request, random.integer(0, 99)))
  cleanUp.defer(front.close)
  const openMirrors = () =>
    createMirrors({
      store: { ...postgresMirror(pool), clock: clockAhead(aheadMs) },
      logger: SILENT,
      pollEveryMs: 400,
      fullListingEveryMs: 2_000,
      connect: (integration) => ({ baseUrl: service.baseUrl, apiKey: keys[integration] ?? '' }),
    })
  for (const integration of integrations) await openMirrors().add(integration)
  for (let count = 0; count < WORKERS; count += 1) await crew.hire()
  for (const integration of integrations) {
    const saveSecret = (secret: string) => pool.query(SAVE_SECRET, [integration, secret])
    await openMirrors().add(integration, { endpoint: `${front.url}/webhooks/notes/${integration}`, saveSecret })
  }

  for (let kills = 0; kills < KILLS; kills += 1) {
    for (let acts = random.integer(3, 12); acts > 0; acts -= 1) owner.act()
    await sleep(random.integer(200, 1_000))
    await crew.killOne()
    if (kills % 4 === 1) await server.crashAndRestart()
    await crew.hire()
  }
  await crew.killAll()
  await untilConverged()
  expect(await mirroredTitles()).toEqual(await serviceTitles())
  for (const integration of integrations) await consumeAll(integration)
  expect(await titles()).toEqual(await serviceTitles())
  const { rows: before } = await pool.query('SELECT max(place) AS place FROM applied')

  // The consumer of a removed integration gets one removal of each note.
  expect(await openMirrors().remove('customer-0')).toBe(true)
  await openMirrors().work({ budgetMs: 60_000, integration: 'customer-0' })
  for (const integration of integrations) await consumeAll(integration)
  expect(await titles()).toEqual({ ...(await serviceTitles()), 'customer-0': {} })
  const { rows: removed } = await pool.query(
    "SELECT note_id, count(*)::int AS times FROM applied WHERE integration = 'customer-0' AND place > $1 GROUP BY note_id",
    [before[0].place],
  )
  expect(removed.every(({ times }) => times === 1)).toBe(true)
  expect(removed.map(({ note_id }) => note_id).sort()).toEqual(
    Object.keys((await serviceTitles())['customer-0'] ?? {}).sort(),
  )

  /** Works until the mirrors equal the service. */
  async function untilConverged(): Promise<void> {
    for (let tries = 0; tries < 120; tries += 1) {
      aheadMs += AHEAD_MS
      const mirrors = openMirrors()
      await mirrors.work({ budgetMs: 5_000 })
      for (const integration of integrations) {
        const { held } = await mirrors.of(integration).status()
        for (const { fullListingId } of held) await mirrors.of(integration).acceptRemovals(fullListingId)
      }
      if (isDeepStrictEqual(await mirroredTitles(), await serviceTitles())) return
      await sleep(250)
    }
  }

  async function consumeAll(integration: string): Promise<void> {
    const consumer = { name: 'titles', apply: applyToTitles(pool, integration) }
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
      aheadMs += AHEAD_MS
      if ((await openMirrors().of(integration).consumeDue(consumer)).nextAt === null) return
    }
    throw new Error(`The consumer of ${integration} has changes left after ${MOST_ROUNDS} rounds.`)
  }

  /** The titles that the mirrors show, by note. */
  async function mirroredTitles(): Promise<Titles> {
    return await ofEach(async (integration) => {
      const notes: [string, unknown][] = []
      for await (const { note } of openMirrors().of(integration).list()) notes.push([note.note_id, note.title])
      return notes
    })
  }

  /** The titles that the consumers have stored. */
  async function titles(): Promise<Titles> {
    return await ofEach(async (integration) => {
      const { rows } = await pool.query('SELECT note_id, title FROM titles WHERE integration = $1', [integration])
      return rows.map(({ note_id, title }): [string, unknown] => [note_id, title])
    })
  }

  /** The titles in the service. */
  async function serviceTitles(): Promise<Titles> {
    return await ofEach(async (integration) => {
      const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: keys[integration] ?? '' })
      const notes: [string, unknown][] = []
      for await (const { note_id, title } of client.notes.list({ limit: 100 })) notes.push([note_id, title])
      return notes
    })
  }

  async function ofEach(list: (integration: string) => Promise<readonly [string, unknown][]>): Promise<Titles> {
    const entries = integrations.map(async (integration) => {
      const notes = await list(integration)
      expect(new Set(notes.map(([noteId]) => noteId)).size).toBe(notes.length)
      return [integration, Object.fromEntries(notes)] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }
})

/** Titles by integration, then by note. */
type Titles = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const SAVE_SECRET =
  'INSERT INTO secrets VALUES ($1, $2) ON CONFLICT (integration) DO UPDATE SET secret = excluded.secret'

/** The owner of one channel for each integration: a note that moves leaves one integration and appears in another. */
class OwnerOfChannels {
  readonly channels: readonly [Channel, ...Channel[]]
  readonly #service: NotesService
  readonly #random: Random
  #titles = 0

  constructor(service: NotesService, random: Random) {
    this.#service = service
    this.#random = random
    const channels = Array.from({ length: INTEGRATIONS - 1 }, (_, index) =>
      service.owner.createChannel(`channel ${index}`),
    )
    this.channels = [service.owner.createChannel('channel'), ...channels]
    for (let notes = 0; notes < NOTES * INTEGRATIONS; notes += 1) this.#record()
  }

  act(): void {
    const notes = this.#service.owner.notes()
    const note = notes[this.#random.integer(0, notes.length - 1)]
    const act = this.#random.integer(0, 4)
    if (note === undefined || act === 0) this.#record()
    else if (act === 1) note.delete()
    else if (act === 2) note.moveTo(this.#random.pick(this.channels))
    else note.edit({ title: this.#title() })
  }

  #record(): void {
    this.#service.owner
      .record({ title: this.#title(), channel: this.#random.pick(this.channels) })
      .end({ summary: false })
  }

  #title(): string {
    this.#titles += 1
    return `title ${this.#titles}`
  }
}

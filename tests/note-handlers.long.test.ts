import { DatabaseSync } from 'node:sqlite'
import {
  type CurrentNote,
  type NoteHandlerContext,
  type NoteHandlers,
  type NoteSource,
  NotesClient,
  noteHandlers,
} from '@notewire/client'
import { createNotesService, type NotesService, type NotesServiceOptions } from '@notewire/mock-server'
import type { Note, NoteUpdatedEvent } from '@notewire/protocol'
import { createReceiver, createReceivers, memoryStore, type TransactionContext } from '@notewire/webhooks'
import { postgresStore, postgresTransactions } from '@notewire/webhooks/postgres'
import { sqliteStore, sqliteTransactions } from '@notewire/webhooks/sqlite'
import type { ReceiverStore } from '@notewire/webhooks/store'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Replica } from './mirror-simulator/replica.ts'
import { type PoolClient, startDatabases } from './servers/test-databases.ts'
import { Random } from './simulation/random.ts'

const SECRET = 'whsec_bm90ZXdpcmUtbm90ZS1oYW5kbGVycy10ZXN0'
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** What the handlers keep of a note. */
interface Copied {
  readonly revision: number
  readonly title: string | null | undefined
  readonly transcript: string
  readonly summary: string
}

function copied({ note, transcript, summary }: CurrentNote): Copied {
  return {
    revision: note.revision,
    title: note.title,
    transcript: transcript.text ?? transcript.status,
    summary: summary.markdown ?? summary.status,
  }
}

interface Act {
  readonly kind: 'record' | 'end' | 'again' | 'edit' | 'delete' | 'leave' | 'return' | 'wait'
  /** Which of the notes. */
  readonly note: number
  /** How long to wait afterwards. */
  readonly seconds: number
}

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom<Act['kind']>(
    'record',
    'record',
    'end',
    'end',
    'again',
    'edit',
    'edit',
    'edit',
    'delete',
    'leave',
    'return',
    'wait',
  ),
  note: fc.nat(1),
  seconds: fc.constantFrom(0, 1, 4, 10, 20, 90),
})

const scenario = fc.record({
  acts: fc.array(act, { minLength: 2, maxLength: 12 }),
  seed: fc.nat(1_000),
  lagSeconds: fc.constantFrom(0, 5, 30, 30),
  disorder: fc.record({
    duplicated: fc.constantFrom(0, 0.3),
    reordered: fc.constantFrom(0, 0.5, 0.8),
    failing: fc.constantFrom(0, 0.3),
  }),
  contract: fc.record({
    summaryRaisesRevision: fc.boolean(),
    deletionRaisesRevision: fc.boolean(),
    contentRevision: fc.constantFrom('current' as const, 'current' as const, 'written' as const, 'absent' as const),
    noteOperation: fc.constantFrom('tombstones' as const, 'live_notes' as const),
    transcriptNotReady: fc.constantFrom(404 as const, 409 as const, 'not_found' as const),
    accessGained: fc.constantFrom('announced' as const, 'revised' as const),
    eventOrder: fc.constantFrom('ended_first' as const, 'any' as const),
    disableAfter: fc.constant('never' as const),
  }),
})

type Fetch = (request: Request) => Promise<Response>

/** How receivers process events: each opens a store, and returns what makes a receiver with it. */
const modes: Readonly<Record<string, () => Promise<(options: Options) => Fetch>>> = {
  'leases in memory': async () => (options) => createReceiver(options).fetch,
  'leases of two instances': async () => {
    const store = sqliteStore(':memory:')
    await store.migrate()
    return (options) => {
      const [one, other] = [createReceiver({ ...options, store }), createReceiver({ ...options, store })]
      let deliveries = 0
      return (request) => {
        deliveries += 1
        return (deliveries % 2 ? one : other).fetch(request)
      }
    }
  },
  transactions: async () => {
    const store = sqliteTransactions(new DatabaseSync(':memory:'))
    await store.migrate()
    return (options) => createReceiver({ ...options, store }).fetch
  },
}

type Options = NoteHandlers<NoteHandlerContext> & {
  readonly secret: string
  readonly clock: NotesService['clock']
  readonly logger: typeof quiet
}

it.each(Object.entries(modes))(
  'a copy that noteHandlers keep under %s equals the service in the end (§6.2, §6.3)',
  async (_name, openStore) => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ acts, seed, lagSeconds, disorder, contract }) => {
        // Only a service that reports the current revision with content shows that the content is old.
        const lagMs = contract.contentRevision === 'current' ? lagSeconds * 1_000 : 0
        const receive = await openStore()
        const world = await World.open({ seed, contract, clock: 'virtual' }, lagMs)
        const { service } = world
        await using _ = world
        const copy = new Map<string, Copied>()
        const movedBack: string[] = []
        await service.connect((secret) => {
          const handlers = noteHandlers(world.laggingClient(), {
            changed: (current) => {
              const { note_id, revision } = current.note
              if (revision < (copy.get(note_id)?.revision ?? 0)) movedBack.push(note_id)
              copy.set(note_id, copied(current))
            },
            removed: ({ noteId }) => copy.delete(noteId),
          })
          return receive({ secret, clock: service.clock, logger: quiet, ...handlers })
        })
        service.disorder = disorder
        await world.play({ kind: 'record', note: 0, seconds: 90 })
        for (const step of acts) await world.play(step)
        await world.endAll()
        await service.settled()
        expect(movedBack).toEqual([])
        expect(Object.fromEntries(copy)).toEqual(Object.fromEntries(await notesOf(service)))
      }),
      { numRuns: Number(process.env['RUNS'] ?? 200) },
    )
  },
)

it('the copies of many accounts whose notes have the same ids equal their accounts in the end, under the same conditions', async () => {
  await fc.assert(
    fc.asyncProperty(
      scenario,
      fc.array(fc.array(act, { minLength: 1, maxLength: 8 }), { minLength: 3, maxLength: 3 }),
      async ({ seed, lagSeconds, disorder, contract }, actsOf) => {
        const lagMs = contract.contentRevision === 'current' ? lagSeconds * 1_000 : 0
        await using stack = new AsyncDisposableStack()
        const worlds = new Map<string, World>()
        // The same seed: only the integration tells the notes and the events of the accounts apart.
        for (const index of actsOf.keys()) {
          worlds.set(`account-${index}`, stack.use(await World.open({ seed, contract, clock: 'virtual' }, lagMs)))
        }
        const store = sqliteTransactions(new DatabaseSync(':memory:'))
        await store.migrate()
        const copies = new Map([...worlds.keys()].map((name) => [name, new Map<string, Copied>()]))
        const clients = new Map([...worlds].map(([name, world]) => [name, world.laggingClient()]))
        const handlers = noteHandlers((name) => clients.get(name) ?? new NotesClient(), {
          changed: (current, { integration }) => copies.get(integration)?.set(current.note.note_id, copied(current)),
          removed: ({ noteId }, { integration }) => copies.get(integration)?.delete(noteId),
        })
        for (const [name, { service }] of worlds) {
          await service.connect((secret) => {
            // The accounts share everything but the clock, which each of these services has for itself.
            const { clock } = service
            return createReceivers({ secretOf: () => secret, store, clock, logger: quiet, ...handlers }).for(name).fetch
          })
          service.disorder = disorder
        }
        const players = [...worlds.values()]
        for (const world of players) await world.play({ kind: 'record', note: 0, seconds: 90 })
        for (let step = 0; step < 8; step += 1) {
          for (const [index, world] of players.entries()) {
            const next = actsOf[index]?.[step]
            if (next !== undefined) await world.play(next)
          }
        }
        for (const [name, world] of worlds) {
          await world.endAll()
          await world.service.settled()
          const expected = await notesOf(world.service)
          expect(Object.fromEntries(copies.get(name) ?? [])).toEqual(Object.fromEntries(expected))
        }
      },
    ),
    { numRuns: Number(process.env['RUNS'] ?? 60) },
  )
})

it('the copies of many accounts equal their accounts in the end, also with disorder', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ owner: fc.nat(2), act }), { maxLength: 12 }),
      fc.nat(1_000),
      async (acts, seed) => {
        await using service = await createNotesService({ seed, owners: 3, contract: { disableAfter: 'never' } })
        const { baseUrl, fetch, clock } = service
        const accounts = new Map(service.owners.map((owner) => [owner.name, owner]))
        const secrets = new Map<string, string>()
        const copies = new Map(service.owners.map(({ name }) => [name, new Map<string, Copied>()]))
        const clientOf = (name: string) => new NotesClient({ baseUrl, fetch, apiKey: accounts.get(name)?.apiKey ?? '' })
        const receivers = createReceivers({
          secretOf: (integration) => secrets.get(integration),
          clock,
          logger: quiet,
          ...noteHandlers(clientOf, {
            changed: (current, { integration }) => copies.get(integration)?.set(current.note.note_id, copied(current)),
            removed: ({ noteId }, { integration }) => copies.get(integration)?.delete(noteId),
          }),
        })
        for (const [name, { apiKey }] of accounts) {
          await service.connect(
            (secret) => {
              secrets.set(name, secret)
              return receivers.for(name).fetch
            },
            { apiKey },
          )
        }
        service.disorder = { duplicated: 0.3, reordered: 0.5, failing: 0.2 }
        for (const { owner: index, act: step } of acts) {
          const owner = service.owners[index]
          const notes = owner?.notes() ?? []
          const note = notes[step.note % Math.max(1, notes.length)]
          if (step.kind === 'record') owner?.record().end()
          else if (step.kind === 'delete') note?.delete()
          else note?.edit({ title: `edited at ${note.revision}` })
          await service.clock.advance(step.seconds * 1_000)
        }
        await service.settled()
        for (const [name, { apiKey }] of accounts) {
          const expected = await notesOf({ baseUrl, apiKey, fetch })
          expect(Object.fromEntries(copies.get(name) ?? [])).toEqual(Object.fromEntries(expected))
        }
      },
    ),
    { numRuns: 50 },
  )
})

it('a duplicate and a stale event cost no request to the REST API', async () => {
  await using service = await createNotesService({ notes: 1, disorder: { duplicated: 1 } })
  const { baseUrl, apiKey, fetch, clock } = service
  const client = new NotesClient({ baseUrl, apiKey, fetch })
  let calls = 0
  await service.connect((secret) => {
    const handlers = noteHandlers(client, { changed: () => (calls += 1), removed: () => undefined })
    return createReceiver({ secret, clock, logger: quiet, ...handlers }).fetch
  })
  service.owner.notes()[0]?.edit({ title: 'once' })
  await service.settled()
  expect(service.attempts.filter(({ event_type }) => event_type === 'note.updated')).toHaveLength(2)
  expect(calls).toBe(1)
  // One request for the note and one for each part.
  expect(service.requests.filter(({ method }) => method === 'GET')).toHaveLength(3)
})

it.each([
  ['the service lags behind its events', 404, /"code":"note_not_current","problem":"the REST API returned 404/],
  ['the API key is wrong', 401, /"code":"unauthorized","problem":"GET \/v1\/notes\/\{note_id\} answered 401/],
] as const)('the log says that %s', async (_what, status, line) => {
  await using service = await createNotesService({ notes: 1 })
  service.faults.inject({ request: 'GET /v1/notes/*', fault: { kind: 'status', status } })
  const { baseUrl, apiKey, fetch } = service
  const lines: string[] = []
  const logger = { ...quiet, error: (...line: unknown[]) => void lines.push(JSON.stringify(line)) }
  const client = new NotesClient({ baseUrl, apiKey, fetch, maxRetries: 0 })
  const handlers = noteHandlers(client, { changed: () => undefined, removed: () => undefined })
  const receiver = createReceiver({ secret: SECRET, logger, ...handlers })
  const event = updated({ note_id: 'note_1', revision: 1 }, 2, service.clock.now())
  expect((await receiver.process(event)).status).toBe('failed')
  expect(lines.join()).toMatch(line)
})

it.each(['memory', 'SQLite', 'PostgreSQL'])(
  'a note does not move below the revision that another instance applied, with a store in %s',
  async (kind) => {
    await using stores = new AsyncDisposableStack()
    const store = await openStore(kind, stores)
    await using service = await createNotesService({ notes: 1 })
    const { baseUrl, apiKey, fetch } = service
    const revisions: number[] = []
    const receiverOf = (source: NoteSource) =>
      createReceiver({
        secret: SECRET,
        logger: quiet,
        store,
        ...noteHandlers(source, {
          changed: ({ note }) => void revisions.push(note.revision),
          removed: () => undefined,
        }),
      })
    const note = service.owner.notes()[0]
    const client = new NotesClient({ baseUrl, apiKey, fetch })
    const restored = await client.notes.get(note?.note_id ?? '')
    for (const title of ['one', 'two', 'three']) note?.edit({ title })
    const edited = await client.notes.get(restored.note_id)
    // The event tells of the first edit only.
    await receiverOf(client).process(updated(restored, restored.revision + 1))
    // A service that was restored from a backup: an event of two hours ago cannot wait for its revision any longer.
    const other = receiverOf({
      serviceTime: () => undefined,
      notes: {
        get: async () => restored,
        transcript: (noteId) => client.notes.transcript(noteId),
        summary: (noteId) => client.notes.summary(noteId),
      },
    })
    await other.process(updated(restored, edited.revision + 1, Date.now() - 7_200_000))
    expect(revisions).toEqual([edited.revision])
  },
)

it('a copy in PostgreSQL is written once for each applied event, in the transaction of its record', async () => {
  const databases = await startDatabases((pool) => postgresTransactions(pool).migrate())
  await using _ = databases.cleanUp
  const pool = await databases.migratedPool()
  await pool.query('CREATE TABLE copies (note_id text PRIMARY KEY, title text, writes int NOT NULL DEFAULT 1)')
  await using service = await createNotesService({ seed: 7, notes: 5, contract: { disableAfter: 'never' } })
  const { baseUrl, apiKey, fetch, clock } = service
  const outcomes: string[] = []
  await service.connect((secret) => {
    const receiver = createReceiver({
      secret,
      clock,
      logger: quiet,
      store: postgresTransactions(pool),
      ...noteHandlers<TransactionContext<PoolClient>>(new NotesClient({ baseUrl, apiKey, fetch }), {
        changed: ({ note }, { transaction }) =>
          transaction.query(
            'INSERT INTO copies VALUES ($1, $2) ON CONFLICT (note_id) DO UPDATE SET title = $2, writes = copies.writes + 1',
            [note.note_id, note.title],
          ),
        removed: ({ noteId }, { transaction }) => transaction.query('DELETE FROM copies WHERE note_id = $1', [noteId]),
      }),
      hooks: { onOutcome: ({ status }) => outcomes.push(status) },
    })
    return receiver.fetch
  })
  service.disorder = { duplicated: 0.5, reordered: 0.5, failing: 0.2 }
  for (const note of service.owner.notes()) note.edit({ title: `the note ${note.note_id}` })
  await clock.advance(60_000)
  service.owner.notes()[0]?.delete()
  await service.settled()
  const titles = [...(await notesOf({ baseUrl, apiKey, fetch }))].map(([noteId, { title }]) => [noteId, title])
  const { rows } = await pool.query('SELECT note_id, title FROM copies')
  expect(Object.fromEntries(rows.map(({ note_id, title }) => [note_id, title]))).toEqual(Object.fromEntries(titles))
  expect(outcomes).toContain('duplicate')
  expect(outcomes.filter((status) => status === 'applied')).toHaveLength(6)
  expect(outcomes).not.toContain('store-failed')
})

async function openStore(kind: string, stores: AsyncDisposableStack): Promise<ReceiverStore> {
  if (kind === 'memory') return memoryStore()
  if (kind === 'SQLite') {
    const store = sqliteStore(':memory:')
    await store.migrate()
    return store
  }
  const databases = await startDatabases((pool) => postgresStore(pool).migrate())
  stores.use(databases.cleanUp)
  return postgresStore(await databases.migratedPool())
}

function updated({ note_id }: Note, revision: number, occurredAt = Date.now()): NoteUpdatedEvent {
  return {
    event_id: `evt_${revision}`,
    event_type: 'note.updated',
    occurred_at: new Date(occurredAt).toISOString(),
    data: { note_id, revision },
  }
}

/** The notes of the service, as a copy should keep them. */
async function notesOf({
  baseUrl,
  apiKey,
  fetch,
}: Pick<NotesService, 'baseUrl' | 'apiKey' | 'fetch'>): Promise<ReadonlyMap<string, Copied>> {
  const client = new NotesClient({ baseUrl, apiKey, fetch })
  const notes = new Map<string, Copied>()
  for await (const { note, transcript, summary } of client.notes.listWithContent()) {
    notes.set(note.note_id, {
      revision: note.revision,
      title: note.title,
      transcript: transcript.status === 'ready' ? transcript.transcript.text : transcript.status,
      summary: summary.status === 'ready' ? summary.summary.markdown : summary.status,
    })
  }
  return notes
}

type WorldOptions = NotesServiceOptions & { readonly seed: number }

/** A service and a replica of it that lags. Each act is played in both. */
class World implements AsyncDisposable {
  readonly service: NotesService
  readonly #main: Replica
  readonly #replica: Replica
  readonly #random: Random
  readonly #noteIds: string[] = []
  readonly #deleted = new Set<string>()
  readonly #announcesAccess: boolean
  #caughtUp: Promise<void> = Promise.resolve()

  private constructor(main: Replica, replica: Replica, { seed, contract }: WorldOptions) {
    this.service = main.service
    this.#announcesAccess = contract?.accessGained === 'announced'
    this.#main = main
    this.#replica = replica
    this.#random = new Random(seed, 1)
  }

  static async open(options: WorldOptions, lagMs: number): Promise<World> {
    return new World(await Replica.open(options, 0), await Replica.open(options, lagMs), options)
  }

  /** A client of which every other request is answered by the replica. */
  laggingClient(): NotesClient {
    const { baseUrl, apiKey, clock } = this.service
    return new NotesClient({
      baseUrl,
      apiKey,
      fetch: async (request) => {
        if (this.#random.chance(0.5)) return this.service.fetch(request)
        // One at a time: two that overlap would advance the replica's clock twice.
        this.#caughtUp = this.#caughtUp.then(() => this.#replica.catchUp(clock.now()))
        await this.#caughtUp
        return this.#replica.fetch(request)
      },
    })
  }

  async play({ kind, note, seconds }: Act): Promise<void> {
    const noteId = this.#noteIds[note % Math.max(1, this.#noteIds.length)]
    if (kind === 'record') this.#record()
    else if (noteId !== undefined && !this.#deleted.has(noteId)) this.#change(kind, noteId)
    // Two events of one millisecond have no order, so a note cannot be seen to return in the one in which it left (row 32).
    const passed = kind === 'leave' ? Math.max(1, seconds) : seconds
    if (passed > 0) await this.service.clock.advance(passed * 1_000)
  }

  async endAll(): Promise<void> {
    for (const noteId of this.#noteIds) {
      while (!this.#deleted.has(noteId) && this.#main.recordingsOf(noteId).length > 0) this.#change('end', noteId)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.close()
    await this.#replica.service.close()
  }

  #record(): void {
    this.#act((replica) => replica.record('a title'))
    const noteId = this.service.owner.notes().at(-1)?.note_id
    if (noteId !== undefined) this.#noteIds.push(noteId)
  }

  #change(kind: Act['kind'], noteId: string): void {
    switch (kind) {
      case 'end':
        this.#act((replica) => replica.recordingsOf(noteId).pop()?.end())
        break
      case 'again':
        this.#act((replica) => replica.recordAgain(noteId))
        break
      case 'edit': {
        const title = `edited at ${this.#main.noteOf(noteId).revision}`
        this.#act((replica) => replica.noteOf(noteId).edit({ title }))
        break
      }
      case 'delete':
        this.#deleted.add(noteId)
        this.#act((replica) => replica.noteOf(noteId).delete())
        break
      case 'leave':
        this.#act((replica) => replica.noteOf(noteId).moveTo(replica.channel))
        break
      case 'return':
        this.#act((replica) => replica.noteOf(noteId).moveTo('personal'))
        // Otherwise no event says that the key can access the note again (open point 28), or a deletion at the same revision that arrives late
        // removes the copy (open point 32).
        if (!this.#announcesAccess || this.#deliversInDisorder()) this.#change('edit', noteId)
    }
  }

  #deliversInDisorder(): boolean {
    const { reordered = 0, failing = 0 } = this.service.disorder
    return reordered + failing > 0
  }

  #act(act: (replica: Replica) => unknown): void {
    act(this.#main)
    this.#replica.enqueue(this.service.clock.now(), act)
  }
}

import { DatabaseSync } from 'node:sqlite'
import { NotesClient, noteHandlers } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { OptionError } from '@notewire/protocol'
import {
  createReceiver,
  createReceivers,
  type ReceiverOptions,
  type ReceiversOptions,
  type TransactionContext,
} from '@notewire/webhooks'
import { postgresTransactions } from '@notewire/webhooks/postgres'
import { sqliteTransactions } from '@notewire/webhooks/sqlite'
import { describe, expect, it } from 'vitest'
import { type PoolClient, startDatabases } from './servers/test-databases.ts'

const SECRET = 'whsec_bm90ZXdpcmUtbm90ZS1oYW5kbGVycy10ZXN0'
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }

async function setUp() {
  const service = await createNotesService({ notes: 1 })
  const changed: string[] = []
  const { baseUrl, apiKey, fetch, clock } = service
  const handlers = noteHandlers(new NotesClient({ baseUrl, apiKey, fetch }), {
    changed: ({ note }) => void changed.push(note.note_id),
    removed: () => undefined,
  })
  const create = (options: object) => {
    createReceivers({ secretOf: () => SECRET, logger, ...options } as unknown as ReceiversOptions)
    return createReceiver({ secret: SECRET, clock, logger, ...options } as unknown as ReceiverOptions)
  }
  const [note] = service.owner.notes()
  const data = { note_id: note?.note_id, revision: note?.revision }
  const at = new Date(clock.now()).toISOString()
  const event = { event_id: 'event_1', event_type: 'note.updated', occurred_at: at, data }
  return { create, handlers, changed, event: event as never, service }
}

describe('a receiver with a part of noteHandlers', () => {
  it.each<[string, (handlers: ReturnType<typeof noteHandlers>) => object]>([
    ['no prepare', ({ on, revisionGate }) => ({ on, revisionGate })],
    ['another prepare', (handlers) => ({ ...handlers, prepare: () => undefined })],
    ['no revisionGate', ({ on, prepare }) => ({ on, prepare })],
    ['another revisionGate', (handlers) => ({ ...handlers, revisionGate: 'strict' })],
    ['no handlers', (handlers) => ({ ...handlers, on: {} })],
    ['other handlers', (handlers) => ({ ...handlers, on: { 'endpoint.test': () => undefined } })],
    ['a missing handler', (handlers) => ({ ...handlers, on: { ...handlers.on, 'note.deleted': undefined } })],
    [
      'a handler that gets no event',
      (handlers) => ({ ...handlers, on: { ...handlers.on, 'note.ended': () => undefined } }),
    ],
    [
      'an asynchronous handler that gets no event',
      (handlers) => ({ ...handlers, on: { ...handlers.on, 'note.ended': async () => undefined } }),
    ],
    [
      'a handler that gets no context',
      (handlers) => ({
        ...handlers,
        on: { ...handlers.on, 'note.updated': (event: object) => void JSON.stringify(event) },
      }),
    ],
    [
      'an asynchronous function that gets no context',
      (handlers) => ({ ...handlers, on: { ...handlers.on, 'note.ended': async function seen(_event: object) {} } }),
    ],
    ['a prepare that gets no context', (handlers) => ({ ...handlers, prepare: async (_event: unknown) => undefined })],
    [
      'a handler that does not use its context',
      (handlers) => ({
        ...handlers,
        on: { ...handlers.on, 'note.updated': async (_event: unknown, _context: unknown) => undefined },
      }),
    ],
    [
      'a handler that uses the fields of its context only',
      (handlers) => ({
        ...handlers,
        on: {
          ...handlers.on,
          'note.updated': async (event: { readonly event_id: string }, context: { readonly logger: Console }) =>
            context.logger.info(event.event_id),
        },
      }),
    ],
    [
      'a handler that takes other fields of its context',
      (handlers) => ({
        ...handlers,
        on: {
          ...handlers.on,
          'note.updated': async (event: { readonly event_id: string }, { logger }: { readonly logger: Console }) =>
            logger.info(event.event_id),
        },
      }),
    ],
    [
      'a prepare that does not use its context',
      (handlers) => ({ ...handlers, prepare: async (_event: unknown, _context: unknown) => undefined }),
    ],
    [
      'a method that gets no event',
      (handlers) => ({ ...handlers, on: { ...handlers.on, 'note.ended': function applied() {} } }),
    ],
  ])('is not created with %s', async (_what, change) => {
    const { create, handlers } = await setUp()
    expect(() => create(change(handlers))).toThrow(OptionError)
  })

  it.each<[string, (handlers: ReturnType<typeof noteHandlers>) => object]>([
    ['nothing else', (handlers) => handlers],
    [
      'a handler of another kind',
      (handlers) => ({ ...handlers, on: { ...handlers.on, 'endpoint.test': () => undefined } }),
    ],
    [
      'a handler that calls the one of noteHandlers',
      (handlers) => ({
        ...handlers,
        on: {
          ...handlers.on,
          'note.updated': async (...given: Parameters<(typeof handlers.on)['note.updated']>) => {
            await handlers.on['note.updated'](...given)
          },
        },
      }),
    ],
    [
      'a handler that passes on copies',
      ({ on, ...rest }) => ({
        ...rest,
        on: {
          ...on,
          'note.updated': (event: never, context: never) =>
            on['note.updated']({ ...(event as object) } as never, context),
        },
      }),
    ],
    [
      'a prepare that calls the one of noteHandlers',
      (handlers) => ({ ...handlers, prepare: (event: never, context: never) => handlers.prepare(event, context) }),
    ],
  ])('applies events with %s', async (_what, change) => {
    const { create, handlers, changed, event } = await setUp()
    expect(await create(change(handlers)).process(event)).toMatchObject({ status: 'applied' })
    expect(changed).toHaveLength(1)
  })

  it('answers 204 for the events that a wrapper leaves out, also the first of a process, and logs that once', async () => {
    const { create, handlers, changed, event, service } = await setUp()
    const warned: string[] = []
    let isOn = false
    const wrapper: (typeof handlers.on)['note.updated'] = (...given) =>
      isOn ? handlers.on['note.updated'](...given) : undefined
    const receiver = create({
      ...handlers,
      on: { ...handlers.on, 'note.updated': wrapper },
      logger: { ...logger, warn: (line: string) => warned.push(line) },
    })
    let edits = 0
    const process = async () => {
      edits += 1
      service.owner.notes()[0]?.edit({ title: `title ${edits}` })
      const { note_id, revision } = service.owner.notes()[0] ?? {}
      const next = { ...(event as object), event_id: `event_${revision}`, data: { note_id, revision } }
      return await receiver.process(next as never)
    }
    for (isOn of [false, false, true, false]) expect(await process()).toMatchObject({ status: 'applied' })
    expect(changed).toHaveLength(1)
    expect(warned).toEqual([expect.stringContaining('note.updated did not call the one of noteHandlers')])
  })

  it.each<[string, (handlers: ReturnType<typeof noteHandlers>) => object]>([
    ['returns something else', (handlers) => ({ ...handlers, prepare: (..._given: unknown[]) => ({ ready: true }) })],
    ['returns nothing', (handlers) => ({ ...handlers, prepare: async (..._given: unknown[]) => undefined })],
  ])('fails an event if its prepare %s, because there is no note to apply', async (_what, change) => {
    const { create, handlers, changed, event } = await setUp()
    const outcome = await create(change(handlers)).process(event)
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'option_invalid' } })
    expect(changed).toEqual([])
  })

  it('tells events of two integrations with the same id apart', async () => {
    const { handlers, event, service } = await setUp()
    const warned: string[] = []
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const wrapper: (typeof handlers.on)['note.updated'] = async (given, context) => {
      if (context.integration === 'slow') return await released
      await handlers.on['note.updated'](given, context)
      release()
    }
    const receivers = createReceivers({
      secretOf: () => SECRET,
      clock: service.clock,
      logger: { ...logger, warn: (line: string) => void warned.push(line) },
      ...handlers,
      on: { ...handlers.on, 'note.updated': wrapper },
    })
    const outcomes = await Promise.all(['slow', 'quick'].map((id) => receivers.process(event, { integration: id })))
    expect(outcomes).toMatchObject([{ status: 'applied' }, { status: 'applied' }])
    expect(warned).toHaveLength(1)
  })

  it.each(['SQLite', 'PostgreSQL'])('processes a wrapper in the transaction of its event: %s', async (kind) => {
    await using database = await (kind === 'SQLite' ? inSqlite() : inPostgres())
    const { create, handlers, changed, event } = await setUp()
    const { store, record, seen } = database
    const wrap =
      (when: boolean): (typeof handlers.on)['note.updated'] =>
      (given, context) => {
        const recorded = record(given.event_id, context)
        const apply = () => (when ? handlers.on['note.updated'](given, context) : undefined)
        return recorded === undefined ? apply() : recorded.then(apply)
      }
    const receiverWith = (wrapper: (typeof handlers.on)['note.updated']) =>
      create({ ...handlers, on: { ...handlers.on, 'note.updated': wrapper }, store })
    const failing = receiverWith((given, context) => {
      const applied = wrap(true)(given, context)
      if (applied instanceof Promise) return applied.then(() => Promise.reject(new Error('after the original')))
      throw new Error('after the original')
    })
    expect(await failing.process(event)).toMatchObject({ status: 'failed' })
    expect(await seen()).toEqual([])
    expect(await receiverWith(wrap(true)).process(event)).toMatchObject({ status: 'applied' })
    expect(await seen()).toEqual(['event_1'])
    expect(changed).toHaveLength(2)
    // The event is marked although the wrapper leaves it out.
    const left = { ...(event as object), event_id: 'event_2', data: { note_id: 'another', revision: 1 } } as never
    const filtered = create({
      ...handlers,
      prepare: (...given: never[]) => void given,
      on: { ...handlers.on, 'note.updated': wrap(false) },
      store,
    })
    expect(await filtered.process(left)).toMatchObject({ status: 'applied' })
    expect(await filtered.process(left)).toMatchObject({ status: 'duplicate' })
    expect(await seen()).toEqual(['event_1', 'event_2'])
  })
})

/** A store with transactions, and a table that wrappers write to in them. */
async function inSqlite() {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE seen (event_id TEXT)')
  const store = sqliteTransactions(database)
  await store.migrate()
  return {
    store,
    record: (id: string, _context: unknown): Promise<unknown> | undefined => {
      database.prepare('INSERT INTO seen VALUES (?)').run(id)
      return undefined
    },
    seen: async () =>
      database
        .prepare('SELECT event_id FROM seen ORDER BY 1')
        .all()
        .map(({ event_id }) => event_id),
    [Symbol.asyncDispose]: async () => database.close(),
  }
}

async function inPostgres() {
  const databases = await startDatabases((pool) => postgresTransactions(pool).migrate())
  const pool = await databases.migratedPool()
  await pool.query('CREATE TABLE seen (event_id text)')
  return {
    store: postgresTransactions(pool),
    record: (id: string, context: unknown): Promise<unknown> | undefined =>
      (context as TransactionContext<PoolClient>).transaction.query('INSERT INTO seen VALUES ($1)', [id]),
    seen: async () => (await pool.query('SELECT event_id FROM seen ORDER BY 1')).rows.map(({ event_id }) => event_id),
    [Symbol.asyncDispose]: () => databases.cleanUp[Symbol.asyncDispose](),
  }
}

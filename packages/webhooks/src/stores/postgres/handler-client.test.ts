import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, type ClientBase, type Connection, type Pool, type PoolClient, Query } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordingLogger } from '../../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../../fixtures/secrets.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import { createReceiver, type TransactionContext } from '../../index.ts'
import { anEvent } from '../../testing/an-event.ts'
import { postgresTransactions } from './index.ts'

let databases: TestDatabases
let pool: Pool
beforeAll(async () => {
  databases = await startDatabases()
  pool = await databases.migratedPool()
  await pool.query('CREATE TABLE effects (event_id text NOT NULL, part text)')
})
beforeEach(() => pool.query('TRUNCATE effects, notewire_events, notewire_notes'))
afterAll(() => databases.cleanUp.disposeAsync())

const event = anEvent({ kind: 'note.updated', eventId: 'one', revision: 7 })
const eventOf = (index: number) =>
  anEvent({ kind: 'note.updated', eventId: `event ${index}`, noteId: `note ${index}`, revision: 1 })

type Handler = (context: TransactionContext<PoolClient>, eventId: string) => unknown

function receiverWith(handler: Handler, handlerTimeoutMs?: number) {
  return createReceiver({
    secret: TEST_SECRET,
    store: postgresTransactions(pool),
    logger: recordingLogger(),
    on: { 'note.updated': ({ event_id }, context) => handler(context, event_id) as Promise<void> },
    handlerTimeoutMs,
  })
}

const insert = (client: ClientBase, eventId: string, part: string) =>
  client.query('INSERT INTO effects VALUES ($1, $2)', [eventId, part])

async function effects(): Promise<readonly string[]> {
  const { rows } = await pool.query('SELECT event_id, part FROM effects ORDER BY 1, 2')
  return rows.map(({ event_id, part }) => `${event_id} ${part}`)
}

/** Processes many events, 12 at once, as deliveries arrive. */
async function processMany(receiver: ReturnType<typeof receiverWith>, count: number) {
  const statuses = new Map<string, string>()
  const indexes = Array.from({ length: count }, (_, index) => index)
  const next = async (): Promise<void> => {
    for (let index = indexes.shift(); index !== undefined; index = indexes.shift()) {
      statuses.set(`event ${index}`, (await receiver.process(eventOf(index))).status)
    }
  }
  await Promise.all(Array.from({ length: 12 }, next))
  return statuses
}

describe('the client of a handler', () => {
  it('refuses release, connect and end, so that 300 events of 12 at once never share a connection', async () => {
    const receiver = receiverWith(async ({ transaction }, eventId) => {
      try {
        await insert(transaction, eventId, 'a')
        await sleep(1)
        await insert(transaction, eventId, 'b')
      } finally {
        transaction.release()
      }
    })
    const statuses = await processMany(receiver, 300)
    expect(new Set(statuses.values())).toEqual(new Set(['failed']))
    expect(await effects()).toEqual([])
    for (const method of ['release', 'connect', 'end'] as const) {
      const calling = receiverWith(({ transaction }) => transaction[method]() as unknown)
      expect(await calling.process(event)).toMatchObject({
        status: 'failed',
        error: { code: 'transaction_ended', message: expect.stringContaining(`${method}() was called`) },
      })
    }
    expect(pool.idleCount).toBe(pool.totalCount)
  })

  it('has everything else of a client, and is neither a pool nor a plain object', async () => {
    let described: unknown
    const receiver = receiverWith(async ({ transaction }) => {
      const { rows } = await transaction.query<{ two: number }>({ text: 'SELECT $1::int AS two', values: [2] })
      described = {
        rows,
        identifier: transaction.escapeIdentifier('a"b'),
        literal: transaction.escapeLiteral("it's"),
        status: transaction.getTransactionStatus(),
        parser: typeof transaction.getTypeParser(20),
        database: typeof transaction.database,
        hasProcess: 'processID' in transaction,
        name: Object.getPrototypeOf(transaction).constructor.name,
        chained: transaction.on('notice', () => undefined) === transaction,
      }
    })
    expect((await receiver.process(event)).status).toBe('applied')
    expect(described).toEqual({
      rows: [{ two: 2 }],
      identifier: '"a""b"',
      literal: "'it''s'",
      status: 'T',
      parser: 'function',
      database: 'string',
      hasProcess: true,
      name: expect.not.stringMatching(/Pool|^Object$/),
      chained: true,
    })
  })

  it('takes callbacks, in all three ways, and waits for them', async () => {
    const results: unknown[] = []
    const receiver = receiverWith(
      ({ transaction }, eventId) =>
        new Promise<void>((resolve, reject) => {
          const sql = 'INSERT INTO effects VALUES ($1, $2)'
          void transaction.query('SELECT 1 AS one', (error, { rows }) => {
            results.push(error, rows)
            transaction.query(sql, [eventId, 'a'], () => {
              const callback = (failure: Error | undefined) => (failure ? reject(failure) : resolve())
              transaction.query({ text: sql, values: [eventId, 'b'], callback } as never)
            })
          })
        }),
    )
    expect((await receiver.process(event)).status).toBe('applied')
    expect(results).toEqual([null, [{ one: 1 }]])
    expect(await effects()).toEqual(['one a', 'one b'])
  })

  it('removes the listeners of the handler when it has ended', async () => {
    const notices: string[] = []
    const receiver = receiverWith(async ({ transaction }, eventId) => {
      transaction.on('notice', ({ message }) => notices.push(`${eventId}: ${message}`))
      await transaction.query(`DO $$ BEGIN RAISE NOTICE '${eventId}'; END $$`)
    })
    for (let index = 0; index < 4; index += 1) await receiver.process(eventOf(index))
    expect(notices).toEqual([0, 1, 2, 3].map((index) => `event ${index}: event ${index}`))
  })
})

describe('a handler without await', () => {
  it('never writes in the transaction of another event: each event that is applied has both rows', async () => {
    const late: unknown[] = []
    const write = async (client: ClientBase, eventId: string) => {
      await insert(client, eventId, 'a')
      await sleep(Number(eventId.slice(-1)) % 3)
      await insert(client, eventId, 'b')
    }
    const receiver = receiverWith(async ({ transaction }, eventId) => {
      const isForgotten = Number(eventId.slice(6)) % 2 === 0
      const writing = write(transaction, eventId)
      if (isForgotten) writing.catch((error) => late.push(error))
      else await writing
    })
    const statuses = await processMany(receiver, 300)
    await expect.poll(() => late).toHaveLength(150)
    for (const error of late) {
      expect(error).toMatchObject({ code: 'transaction_ended', message: expect.stringMatching(/await is missing/) })
    }
    const applied = [...statuses].filter(([, status]) => status === 'applied').map(([eventId]) => eventId)
    expect(applied).toHaveLength(150)
    expect(await effects()).toEqual(applied.flatMap((eventId) => [`${eventId} a`, `${eventId} b`]).sort())
  })

  const UNFINISHED: Readonly<Record<string, (client: PoolClient) => void>> = {
    'a promise': (client) => void client.query('SELECT pg_sleep(0.05)'),
    'a promise that rejects': (client) => void client.query('SELECT pg_sleep(0.05), 1 / 0'),
    'a callback': (client) => client.query('SELECT pg_sleep(0.05)', () => undefined),
    'a Query': (client) => void client.query(new Query('SELECT pg_sleep(0.05)')).on('error', () => undefined),
    'a cursor': (client) => void client.query(new OpenPortal('SELECT 1')),
  }

  it.each(Object.entries(UNFINISHED))('fails the event while %s is running', async (_name, begin) => {
    let attempts = 0
    const receiver = receiverWith(async ({ transaction }, eventId) => {
      await insert(transaction, eventId, 'a')
      attempts += 1
      if (attempts === 1) begin(transaction)
    })
    const began = performance.now()
    expect(await receiver.process(event)).toMatchObject({
      status: 'failed',
      error: { code: 'transaction_ended', message: expect.stringMatching(/await/) },
    })
    expect(performance.now() - began).toBeLessThan(2_000)
    expect(await effects()).toEqual([])
    expect((await receiver.process(event)).status).toBe('applied')
    expect(await effects()).toEqual(['one a'])
  })

  it.each<[string, (later: () => void) => unknown]>([
    ['in a microtask', (later) => void Promise.resolve().then(later)],
    ['in the next tick', (later) => process.nextTick(later)],
    ['in the next turn', (later) => setImmediate(later)],
  ])('fails the event if its first statement comes %s after its end', async (_name, defer) => {
    const receiver = receiverWith(({ transaction }, eventId) => {
      defer(() => void insert(transaction, eventId, 'late').catch(() => undefined))
    })
    expect(await receiver.process(event)).toMatchObject({
      status: 'failed',
      error: { code: 'transaction_ended', message: expect.stringMatching(/await/) },
    })
    expect((await receiverWith(() => undefined).process(event)).status).toBe('applied')
  })

  it('commits if it has left a stream that closes itself, as a loop with break does', async () => {
    const receiver = receiverWith(async ({ transaction }, eventId) => {
      await insert(transaction, eventId, 'a')
      transaction.query(new ClosingPortal('SELECT 1'))
    })
    expect((await receiver.process(event)).status).toBe('applied')
    expect(await effects()).toEqual(['one a'])
    expect(pool.idleCount).toBe(pool.totalCount)
  })

  it('gets an error for every kind of statement after its end', async () => {
    const kept: PoolClient[] = []
    const receiver = receiverWith(({ transaction }) => void kept.push(transaction))
    expect((await receiver.process(event)).status).toBe('applied')
    const [client] = kept
    const late = { code: 'transaction_ended', message: expect.stringMatching(/await is missing/) }
    await expect(client?.query('SELECT 1')).rejects.toMatchObject(late)
    await expect(client?.query({ text: 'SELECT 1' })).rejects.toMatchObject(late)
    expect(await new Promise((resolve) => client?.query('SELECT 1', resolve))).toMatchObject(late)
    expect(() => client?.query(new Query('SELECT 1'))).toThrow(expect.objectContaining(late))
  })

  it('fails a handler that is synchronous and returns nothing, if its statement runs', async () => {
    const receiver = receiverWith(({ transaction }, eventId) => void insert(transaction, eventId, 'a'))
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { code: 'transaction_ended' } })
  })
})

describe('a statement that begins or ends a transaction', () => {
  it.each(['BEGIN', 'commit', '/* x */ Rollback', 'SELECT 1; COMMIT; SELECT 2', 'ROLLBACK; BEGIN', 'abort', 'end;'])(
    'is refused, and fails the event even if its error is caught: %s',
    async (text) => {
      const receiver = receiverWith(async ({ transaction }, eventId) => {
        await insert(transaction, eventId, 'a')
        await transaction.query(eventId === 'one' ? text : { text }).catch(() => undefined)
        expect(transaction.getTransactionStatus()).toBe('T')
        await insert(transaction, eventId, 'b')
      })
      for (const each of [event, eventOf(2)]) {
        expect(await receiver.process(each)).toMatchObject({
          status: 'failed',
          error: { code: 'transaction_ended', message: expect.stringMatching(/was not sent/) },
        })
      }
      expect(await effects()).toEqual([])
    },
  )

  it('is found after it has run, if nothing in its text shows it', async () => {
    const receiver = receiverWith(async ({ transaction }, eventId) => {
      // The setting makes PostgreSQL read the text in another way than the receiver does.
      await transaction.query('SET LOCAL standard_conforming_strings = off')
      await transaction.query("SELECT 'a\\''; ROLLBACK; BEGIN; SELECT '\\''")
      await insert(transaction, eventId, 'a')
    })
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { code: 'transaction_ended' } })
    expect(await effects()).toEqual([])
    expect((await receiverWith(() => undefined).process(event)).status).toBe('applied')
  })
})

it('satisfies helpers that take a client', async () => {
  const withBase = (client: ClientBase) => client.query('SELECT 1')
  const withClient = (client: Client) => client.query('SELECT 1')
  const withPoolClient = (client: PoolClient) => client.query('SELECT 1')
  const receiver = receiverWith(async ({ transaction }) => {
    await withBase(transaction)
    await withClient(transaction)
    await withPoolClient(transaction)
  })
  expect((await receiver.process(event)).status).toBe('applied')
})

/** Opens a portal, as `pg-cursor` does, and reads nothing from it. */
class OpenPortal {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  submit(connection: Connection): void {
    connection.parse({ text: this.#text, name: '', types: [] }, true)
    connection.bind({ portal: 'open', values: [] }, true)
    connection.describe({ type: 'P', name: 'open' }, true)
    connection.flush()
  }

  readonly handleRowDescription = () => undefined
  readonly handleError = () => undefined
  readonly handleReadyForQuery = () => undefined
}

/** Closes its portal, as a stream of `pg-query-stream` does after `break`: it says so at once, and PostgreSQL answers later. */
class ClosingPortal extends OpenPortal {
  readonly destroyed = true

  override submit(connection: Connection): void {
    super.submit(connection)
    setTimeout(() => {
      connection.close({ type: 'P', name: 'open' }, true)
      connection.sync()
    }, 30)
  }
}

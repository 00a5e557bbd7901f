import { DatabaseSync } from 'node:sqlite'
import { OptionError } from '@notewire/protocol'
import { sqliteLocation } from '@notewire/storage'
import { Client } from 'pg'
import { createClient } from 'redis'
import { describe, expect, it } from 'vitest'
import { recordingLogger } from '../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import { postgresStore, postgresTransactions } from './postgres/index.ts'
import { redisStore } from './redis/redis-store.ts'
import { betterSqlite, d1, durableObjectSqlite, nodeSqlite, sqliteStore, sqliteTransactions } from './sqlite/index.ts'

const anything = (value: unknown) => value as never

/** A binding of D1. */
const binding = { prepare: () => ({}), batch: async () => [], exec: async () => ({}) }
/** A client of `@libsql/client`. */
const libsql = { execute: async () => ({ rows: [] }), batch: async () => [] }
/** A database of `sqlite3`, whose statements call back. */
const withCallbacks = { exec: () => undefined, prepare: () => ({}), each: () => undefined }

/** `@upstash/redis` takes lists of keys and arguments. */
const upstash = {
  eval: async (_script: string, keys: string[], args: string[]) => [...keys, ...args].length,
  evalsha: async (_sha1: string, keys: string[], args: string[]) => [...keys, ...args].length,
}

describe('is refused when a store is made:', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['D1 as a driver', () => sqliteStore(anything(binding)), /binding of D1, not a driver\. Pass d1\(env\.DB\)/],
    ['libSQL as a driver', () => sqliteStore(anything(libsql)), /libSQL.*betterSqlite/],
    ['D1 as a connection', () => sqliteTransactions(anything(binding)), /sqliteStore\(d1\(env\.DB\)\)/],
    ['a database with callbacks', () => sqliteTransactions(anything(withCallbacks)), /statements are synchronous/],
    ['the same for betterSqlite', () => betterSqlite(anything(withCallbacks)), /statements are synchronous/],
    ['a path for betterSqlite', () => betterSqlite(anything('app.db')), /new Database\('app\.db'\)/],
    ['no path', () => nodeSqlite(anything(undefined)), /nodeSqlite\('events\.db'\)/],
    ['a missing binding', () => d1(anything(undefined)), /env\.DB.*d1_databases/],
    ['a database as a binding', () => d1(anything(new DatabaseSync(':memory:'))), /env\.DB/],
    ['the context of a Durable Object', () => durableObjectSqlite(anything({ storage: {} })), /ctx\.storage/],
    ['one Client for transactions', () => postgresTransactions(anything(new Client())), /one Client of pg.*new Pool\(/],
    [
      'the client of Upstash',
      () => redisStore(anything({ ...upstash, createScript: () => ({}) })),
      /@upstash\/redis.*ioredis/,
    ],
  ])('%s', (_what, make, words) => {
    expect(make).toThrow(OptionError)
    expect(make).toThrow(words)
  })
})

describe('the URL of a database as the path of a file', () => {
  it.each<[string, (url: string) => unknown]>([
    ['sqliteStore', sqliteStore],
    ['nodeSqlite', nodeSqlite],
    ['sqliteLocation', sqliteLocation],
  ])('is refused by %s without its password', (_name, make) => {
    for (const scheme of ['postgres', 'POSTGRESQL', 'redis', 'libsql', 'sqlite', 'https']) {
      const open = () => make(`${scheme}://app:S3cret@db.example/notes`)
      expect(open).toThrow(/is a URL that begins with .*, not the path of a file/)
      expect(open).not.toThrow('S3cret')
    }
  })
})

describe('is explained by migrate, and in the log:', () => {
  it.each<[string, unknown]>([
    ['neon(), which returns the rows', { query: async () => [] }],
    ['mysql2, which returns rows and columns', { query: async () => [[], []] }],
    ['a driver with callbacks', { query: () => ({ sql: 'SELECT 1' }) }],
  ])('%s', async (_what, pool) => {
    const store = postgresStore(anything(pool))
    await expect(store.migrate()).rejects.toThrow(/did not resolve to an object with rows.*Pass a Pool of pg.*neon\(\)/)
    expect(await logOf({ store })).toMatch(/^error the store failed.*did not resolve to an object with rows/)
  })
})

describe('is explained in the log:', () => {
  it.each<[string, unknown, RegExp]>([
    ['a client of Redis with other parameters', upstash, /does not run scripts.*@upstash\/redis/],
    ['one with callbacks', { evalsha: () => true, eval: () => true }, /does not run scripts as a client of ioredis/],
    ['one that is not connected', createClient(), /client is not connected\. Call \\?"await client\.connect\(\)/],
  ])('%s', async (_what, client, words) => {
    expect(await logOf({ store: redisStore(anything(client)) })).toMatch(words)
  })

  it('a pool that returns no row for a look', async () => {
    const store = postgresTransactions(anything({ query: async () => ({ rows: [] }), connect: async () => undefined }))
    expect(await logOf({ store })).toMatch(/^error the store failed/)
  })

  it('a pool that connects without a client', async () => {
    const query = async (text: string) => ({ rows: text.includes('notewire_look') ? [NEW_EVENT] : [] })
    const store = postgresTransactions(anything({ query, connect: async () => undefined }))
    expect(await logOf({ store })).toMatch(/pool\.connect did not resolve to a client/)
  })
})

const NEW_EVENT = {
  event_state: 'new',
  lease_state: 'free',
  known_applied: null,
  event_version: null,
  note_version: null,
}

/** The log of a receiver that got one event. */
async function logOf(options: object): Promise<string> {
  const logger = recordingLogger()
  const on = { 'note.ended': () => undefined }
  const receiver = createReceiver(anything({ secret: TEST_SECRET, logger, on, ...options }))
  expect((await receiver.process(anEvent({ kind: 'note.ended' }))).status).toBe('store-failed')
  return logger.lines.join()
}

import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { recordingLogger } from '../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import type { ClaimRequest } from '../../interfaces/store.ts'
import { createReceiver } from '../../receiver/receiver.ts'
import { betterSqlite } from '../../storage/better-sqlite.ts'
import type { SqliteConnection } from '../../storage/sqlite-connection.ts'
import { anEvent } from '../../testing/an-event.ts'
import { signAttempt } from '../../testing/sign-attempt.ts'
import { sqliteStore } from './sqlite-store.ts'

const drivers = {
  'node:sqlite': {
    storeAt: (path: string) => sqliteStore(path),
    open: (path: string) => new DatabaseSync(path),
  },
  'better-sqlite3': {
    storeAt: (path: string) => sqliteStore(betterSqlite(new Database(path))),
    open: (path: string) => new Database(path),
  },
}

it('the store removes the busy timeout of 5 s of a better-sqlite3 connection, which would block the thread', async () => {
  const connection = new Database(temporaryPath(onTestFinished))
  onTestFinished(() => void connection.close())
  expect(connection.pragma('busy_timeout', { simple: true })).toBe(5_000)
  await sqliteStore(betterSqlite(connection)).migrate()
  expect(connection.pragma('busy_timeout', { simple: true })).toBe(0)
})

describe.each(Object.entries(drivers))('a transaction of %s', (_driver, { storeAt, open }) => {
  async function setUp() {
    const path = temporaryPath(onTestFinished)
    const store = storeAt(path)
    const database = open(path)
    onTestFinished(async () => {
      database.close()
      await store.close()
    })
    await store.migrate()
    database.exec('CREATE TABLE summaries (note_id TEXT)')
    const rows = () => database.prepare('SELECT note_id FROM summaries').all().length
    return { store, database, rows }
  }

  const request: ClaimRequest = {
    integration: 's',
    eventId: 'one',
    note: { noteId: 'note_1', change: { kind: 'note.updated', revision: 4 } },
    gate: 'deletions-at-equal',
    leaseMs: 20_000,
    keepMs: 97_200_000,
  }
  const ofRevision = (revision: number): ClaimRequest => ({
    ...request,
    eventId: `of revision ${revision}`,
    note: { noteId: 'note_1', change: { kind: 'note.updated', revision } },
  })
  const claimOf = async ({ store }: Awaited<ReturnType<typeof setUp>>, leaseMs = 20_000) => {
    const result = await store.claim({ ...request, leaseMs })
    if (result.status !== 'claimed') throw new Error(result.status)
    return result.claim
  }

  it('commits the event and raises the revision when it commits', async () => {
    const all = await setUp()
    const { store, database } = all
    const claim = await claimOf(all)
    database.exec('BEGIN IMMEDIATE')
    expect(store.commitIn?.(database, claim)).toBe('committed')
    database.exec('COMMIT')
    expect(await store.claim(request)).toEqual({ status: 'duplicate' })
    expect(await store.claim(ofRevision(4))).toEqual({ status: 'stale', appliedRevision: 4 })
    expect(await store.claim(ofRevision(5))).toMatchObject({ status: 'claimed' })
  })

  it('has no effect if it is rolled back, and the claim is still current', async () => {
    const all = await setUp()
    const { store, database } = all
    const claim = await claimOf(all)
    database.exec('BEGIN IMMEDIATE')
    expect(store.commitIn?.(database, claim)).toBe('committed')
    database.exec('ROLLBACK')
    expect(await store.renew(claim, 20_000)).toBe('renewed')
    await store.release(claim)
    expect(await store.claim(ofRevision(3))).toMatchObject({ status: 'claimed' })
  })

  it('gets lost if the claim was lost', async () => {
    const all = await setUp()
    const { store, database } = all
    const late = await claimOf(all, 20)
    await sleep(60)
    await claimOf(all)
    database.exec('BEGIN IMMEDIATE')
    expect(store.commitIn?.(database, late)).toBe('lost')
    database.exec('COMMIT')
    expect(await store.claim(request)).toEqual({ status: 'busy' })
  })

  it('must be open', async () => {
    const all = await setUp()
    const claim = await claimOf(all)
    expect(() => all.store.commitIn?.(all.database, claim)).toThrow(/no open transaction.*BEGIN IMMEDIATE/)
  })

  it('must be open, also if the connection does not show it, as before Node.js 22.16', async () => {
    const all = await setUp()
    const { store, database } = all
    const claim = await claimOf(all)
    const silent: SqliteConnection = {
      exec: (sql) => database.exec(sql),
      prepare: (sql) => database.prepare(sql),
    }
    expect(() => store.commitIn?.(silent, claim)).toThrow(/no open transaction.*BEGIN IMMEDIATE/)
    database.exec('BEGIN IMMEDIATE')
    expect(store.commitIn?.(silent, claim)).toBe('committed')
    database.exec('COMMIT')
    expect(await store.claim(request)).toEqual({ status: 'duplicate' })
  })

  it('makes other operations wait while it is open', async () => {
    const all = await setUp()
    const { store, database } = all
    database.exec('BEGIN IMMEDIATE')
    database.exec("INSERT INTO summaries VALUES ('note_1')")
    const claims = Array.from({ length: 20 }, (_, index) => store.claim({ ...request, eventId: `event ${index}` }))
    await sleep(300)
    database.exec('COMMIT')
    const answers = (await Promise.all(claims)).map(({ status }) => status)
    expect(answers.filter((status) => status === 'claimed')).toHaveLength(1)
    expect(answers.filter((status) => status === 'busy')).toHaveLength(19)
  })

  describe('of a handler', () => {
    async function receiving(handle: (database: SqliteConnection, commit: () => void) => void) {
      const all = await setUp()
      const logger = recordingLogger()
      const outcomes: string[] = []
      const receiver = createReceiver({
        secret: TEST_SECRET,
        store: all.store,
        logger,
        clock: new ManualClock(),
        hooks: { onOutcome: ({ status }) => outcomes.push(status) },
        on: {
          'note.updated': (_event, context) => handle(all.database, () => void context.commit(all.database)),
        },
      })
      const deliver = async (event: object) => {
        const attempt = await signAttempt(TEST_SECRET, event, { signedAt: new ManualClock().now() })
        return (await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', ...attempt }))).status
      }
      return { ...all, deliver, outcomes, logger }
    }

    /** Inserts a row and commits the event in one transaction. */
    function apply(database: SqliteConnection, commit: () => void, afterCommit = () => {}) {
      database.exec('BEGIN IMMEDIATE')
      try {
        database.exec("INSERT INTO summaries VALUES ('note_1')")
        commit()
        afterCommit()
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    }

    it('applies an event once', async () => {
      const { deliver, outcomes, rows } = await receiving(apply)
      const event = anEvent({ kind: 'note.updated' })
      expect([await deliver(event), await deliver(event)]).toEqual([204, 204])
      expect(outcomes).toEqual(['applied', 'duplicate'])
      expect(rows()).toBe(1)
    })

    it('leaves no row and no processed event if it fails after the commit', async () => {
      let failures = 1
      const { deliver, outcomes, rows } = await receiving((database, commit) =>
        apply(database, commit, () => {
          if (failures-- > 0) throw new Error('the disk is full')
        }),
      )
      const event = anEvent({ kind: 'note.updated' })
      expect([await deliver(event), await deliver(event)]).toEqual([500, 204])
      expect(outcomes).toEqual(['failed', 'applied'])
      expect(rows()).toBe(1)
    })

    it('is rolled back if another worker has claimed the event', async () => {
      const { deliver, outcomes, rows } = await receiving((database, commit) => {
        // What another worker does after the lease has expired.
        database.exec('UPDATE notewire_events SET fencing_token = fencing_token + 1')
        apply(database, commit)
      })
      expect(await deliver(anEvent({ kind: 'note.updated' }))).toBe(503)
      expect(outcomes).toEqual(['claim-lost'])
      expect(rows()).toBe(0)
    })
  })
})

it('db.transaction of better-sqlite3 is rolled back if the claim was lost', async () => {
  const path = temporaryPath(onTestFinished)
  const store = sqliteStore(path)
  await store.migrate()
  const database = new Database(path)
  database.exec('CREATE TABLE summaries (note_id TEXT)')
  const receiver = createReceiver({
    secret: TEST_SECRET,
    store,
    on: {
      'note.updated': (_event, context) => {
        database.exec('UPDATE notewire_events SET fencing_token = fencing_token + 1')
        database
          .transaction(() => {
            database.exec("INSERT INTO summaries VALUES ('note_1')")
            void context.commit(database)
          })
          .immediate()
      },
    },
  })
  expect(await receiver.process(anEvent({ kind: 'note.updated' }))).toMatchObject({ status: 'claim-lost' })
  expect(database.prepare('SELECT * FROM summaries').all()).toEqual([])
  database.close()
  await store.close()
})

it('a transaction that a handler leaves open does not count as committed, and operations reject after 5 s', async () => {
  const path = temporaryPath(onTestFinished)
  const store = sqliteStore(path)
  await store.migrate()
  const database = new DatabaseSync(path)
  const receiver = createReceiver({
    secret: TEST_SECRET,
    store,
    on: {
      'note.updated': (_event, context) => {
        database.exec('BEGIN IMMEDIATE')
        void context.commit(database)
      },
    },
  })
  const event = anEvent({ kind: 'note.updated' })
  const began = performance.now()
  expect(await receiver.process(event)).toMatchObject({
    status: 'store-failed',
    error: { message: 'database is locked' },
  })
  expect(performance.now() - began).toBeGreaterThan(4_900)
  database.exec('COMMIT')
  expect(await receiver.process(event)).toMatchObject({ status: 'duplicate' })
  database.close()
  await store.close()
})

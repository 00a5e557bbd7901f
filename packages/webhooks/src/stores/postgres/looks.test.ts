import fc from 'fast-check'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import type { ClaimRequest } from '../../interfaces/store.ts'
import { postgresStore, postgresTransactions } from './index.ts'

let databases: TestDatabases
let pool: Pool
beforeAll(async () => {
  databases = await startDatabases()
  pool = await databases.migratedPool()
})
beforeEach(() => pool.query('TRUNCATE notewire_events, notewire_notes'))
afterAll(() => databases.cleanUp.disposeAsync())

function requestOf(eventId: string, noteId: string | undefined, revision = 1): ClaimRequest {
  const change = { kind: 'note.updated', revision } as const
  const note = noteId === undefined ? undefined : { noteId, change }
  return { integration: 'default', eventId, note, gate: 'strict', leaseMs: 20_000, keepMs: 97_200_000 }
}

/** A pool that counts its statements, and can fail. */
function countingPool() {
  const counting = {
    statements: 0,
    fails: false,
    options: pool.options,
    connect: () => pool.connect(),
    query: (text: string, values: unknown[]) => {
      counting.statements += 1
      return counting.fails ? Promise.reject(new Error('the connection broke')) : pool.query(text, values)
    },
  }
  return counting
}

async function apply(request: ClaimRequest): Promise<void> {
  const store = postgresStore(pool)
  const result = await store.claim(request)
  if (result.status === 'claimed') await store.commit(result.claim)
}

it('looks that are made at once share statements, and each gets its own answer', async () => {
  await apply(requestOf('processed', 'one', 5))
  const counting = countingPool()
  const store = postgresTransactions(counting)
  const looks = Array.from({ length: 300 }, (_, index) => {
    if (index % 3 === 0) return store.look(requestOf('processed', 'one', 5))
    return index % 3 === 1
      ? store.look(requestOf(`late ${index}`, 'one', 4))
      : store.look(requestOf(`new ${index}`, 'one', 6))
  })
  const statuses = (await Promise.all(looks)).map(({ status }) => status)
  expect(statuses).toEqual(looks.map((_, index) => ['duplicate', 'stale', 'new'][index % 3]))
  // A hundred at once.
  expect(counting.statements).toBe(3)
})

it('the placeholders of the statement stand in order, because Knex numbers them itself', async () => {
  const texts: string[] = []
  const query = (text: string, values: unknown[]) => {
    texts.push(text)
    return pool.query(text, values)
  }
  const store = postgresTransactions({ options: pool.options, connect: () => pool.connect(), query })
  await Promise.all([store.look(requestOf('one', 'one')), store.look(requestOf('two', undefined))])
  expect(texts.map((text) => text.match(/\$\d+/g))).toEqual([['$1', '$2', '$3', '$4', '$5', '$6', '$7', '$8']])
})

it('a statement that fails fails only the looks that share it', async () => {
  const counting = countingPool()
  const store = postgresTransactions(counting)
  counting.fails = true
  const looks = ['one', 'two', 'three'].map((eventId) => store.look(requestOf(eventId, 'one')))
  for (const look of looks) await expect(look).rejects.toThrow('the connection broke')
  counting.fails = false
  await expect(store.look(requestOf('four', 'one'))).resolves.toMatchObject({ status: 'new' })
})

it('finds events and notes with any ids', async () => {
  const id = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((each) => each.replaceAll('\0', '0')),
    fc.constantFrom('NULL', '"', '\\', '{', '}', ',', ' ', '"NULL"', "'", '\n', '🙂'),
  )
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(id, { minLength: 1, maxLength: 5 }), fc.option(id), async (eventIds, noteId) => {
      await pool.query('TRUNCATE notewire_events, notewire_notes')
      const [processed = ''] = eventIds
      await apply(requestOf(processed, noteId ?? undefined))
      const store = postgresTransactions(pool)
      const results = await Promise.all(eventIds.map((each) => store.look(requestOf(each, noteId ?? undefined, 2))))
      expect(results.map(({ status }) => status)).toEqual(
        eventIds.map((_, index) => (index === 0 ? 'duplicate' : 'new')),
      )
      const [, known] = results
      if (known?.status === 'new') expect(known.seen.applied?.revision).toBe(noteId === null ? undefined : 1)
    }),
    { numRuns: 100 },
  )
})

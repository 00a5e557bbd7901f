import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import { namedStatements, postgresStore } from './index.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const ofEvent = (eventId: string) =>
  ({
    integration: 'default',
    eventId,
    note: { noteId: 'note_1' },
    gate: 'strict',
    leaseMs: 20_000,
    keepMs: 60_000,
  }) as const

async function processOn(pool: Pool, eventId: string): Promise<unknown> {
  const store = postgresStore(namedStatements(pool))
  const result = await store.claim(ofEvent(eventId))
  return result.status === 'claimed' ? await store.commit(result.claim) : result.status
}

async function setUp() {
  const pool = databases.poolOf(await databases.emptyDatabase(), { max: 1 })
  const store = postgresStore(namedStatements(pool))
  await store.migrate()
  expect(await processOn(pool, 'before')).toBe('committed')
  return { pool, store }
}

it('prepares each statement once for each connection', async () => {
  const { pool } = await setUp()
  for (const eventId of ['2', '3', '4']) await processOn(pool, eventId)
  const { rows } = await pool.query(
    'SELECT generic_plans + custom_plans AS runs FROM pg_prepared_statements ORDER BY statement',
  )
  expect(rows).toEqual([{ runs: '4' }, { runs: '4' }])
})

it('processes events after the functions were created again', async () => {
  const { pool, store } = await setUp()
  await pool.query(`DROP FUNCTION ${(await functionsIn(pool)).join(', ')}`)
  await store.migrate()
  expect(await processOn(pool, 'after')).toBe('committed')
  expect(await processOn(pool, 'before')).toBe('duplicate')
})

it('processes events after everything was dropped and created again', async () => {
  const { pool, store } = await setUp()
  await pool.query(`DROP FUNCTION ${(await functionsIn(pool)).join(', ')}`)
  await pool.query('DROP TABLE notewire_events, notewire_notes')
  await store.migrate()
  expect(await processOn(pool, 'before')).toBe('committed')
})

it('sends a statement again whose result has other columns', async () => {
  const { pool } = await setUp()
  const named = namedStatements(pool)
  await pool.query("CREATE FUNCTION notewire_example(text) RETURNS TABLE (one text) LANGUAGE sql AS 'SELECT $1'")
  const read = () => named.query('SELECT * FROM notewire_example($1)', ['1'])
  expect((await read()).rows).toEqual([{ one: '1' }])
  await pool.query(`DROP FUNCTION notewire_example;
    CREATE FUNCTION notewire_example(text) RETURNS TABLE (one text, two int) LANGUAGE sql AS 'SELECT $1, 2'`)
  expect((await read()).rows).toEqual([{ one: '1', two: 2 }])
})

it.each([undefined, null, {}, Promise.resolve()])('refuses %o in place of a pool', (pool) => {
  expect(() => namedStatements(pool as never)).toThrow('pool has no method "query"')
})

it('sends a statement once that fails', async () => {
  const { pool } = await setUp()
  let sent = 0
  const counted = namedStatements({
    query: (statement) => {
      sent += 1
      return pool.query(statement)
    },
  })
  await expect(counted.query('SELECT 1 / $1::int AS result', [0])).rejects.toMatchObject({ code: '22012' })
  expect(sent).toBe(1)
})

async function functionsIn(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>("SELECT proname AS name FROM pg_proc WHERE proname ~ '^notewire'")
  return rows.map(({ name }) => name)
}

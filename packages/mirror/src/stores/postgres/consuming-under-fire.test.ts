import { AssertionError } from 'node:assert'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  dieAtEveryStatement,
  isProof,
  plantedInConsumers,
  type StartProcess,
} from '../../../fixtures/consuming/dying-at-statements.ts'
import { killConsumers } from '../../../fixtures/consuming/under-fire.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { type PostgresConnection, postgresMirror } from './index.ts'

let databases: TestDatabases
let url: string
let pool: Pool
beforeAll(async () => {
  databases = await startDatabases()
})
beforeEach(async () => {
  url = await databases.emptyDatabase()
  pool = databases.poolOf(url)
  await postgresMirror(pool).migrate()
  await pool.query('CREATE TABLE applied (id bigint GENERATED ALWAYS AS IDENTITY, change text)')
})
afterAll(() => databases.cleanUp.disposeAsync())

async function readRows(): Promise<readonly string[]> {
  const { rows } = await pool.query('SELECT change FROM applied ORDER BY id')
  return rows.map(({ change }) => String(change))
}

/** A process with a connection for its mirror and one for its rows. */
const startProcess: StartProcess<PostgresConnection> = async (countStatement) => {
  const clients = [await pool.connect(), await pool.connect()]
  const [ofMirror, ofRows] = clients.map((client): PostgresConnection => {
    return {
      async query(text, values) {
        countStatement()
        return await client.query(text, values)
      },
    }
  })
  if (ofMirror === undefined || ofRows === undefined) throw new Error('there is no connection')
  return {
    store: postgresMirror(ofMirror),
    async apply(changes, commit) {
      await ofRows.query('BEGIN', [])
      for (const change of changes) await ofRows.query('INSERT INTO applied (change) VALUES ($1)', [change])
      await commit(ofRows)
      await ofRows.query('COMMIT', [])
    },
    async end() {
      for (const client of clients) client.release(true)
    },
  }
}

describe('a process that dies before any of its statements', () => {
  const rounds = isProof ? 40 : 3

  it('applies no change twice, and skips none', async () => {
    expect(await dieAtEveryStatement(startProcess, readRows, rounds)).toBeGreaterThan(20)
  })

  it.each(Object.entries(plantedInConsumers))('detects the planted bug "%s"', async (_, plant) => {
    const deaths = dieAtEveryStatement(startProcess, readRows, rounds, plant)
    await expect(deaths).rejects.toThrow(AssertionError)
  })
})

it('two processes that are killed again and again apply each change exactly once', async () => {
  const program = new URL('../../../fixtures/stores/postgres/consuming-process.ts', import.meta.url)
  await killConsumers(postgresMirror(pool), program, url, readRows)
})

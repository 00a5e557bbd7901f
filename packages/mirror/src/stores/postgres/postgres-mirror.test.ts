import { isInstalled, startPgBouncer } from 'notewire-test-servers'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { mirrorStoreChecks } from '../../../fixtures/store-checks/mirror-store-checks.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const ways = ['directly', 'in a schema', ...(isInstalled('pgbouncer') ? ['through PgBouncer in transaction mode'] : [])]

describe.each(ways)('the mirror in PostgreSQL, %s', (way) => {
  let pool: Pool
  const storeIn = () => postgresMirror(pool, way === 'in a schema' ? { schema: 'In-a-Schema' } : {})
  beforeAll(async () => {
    const { emptyDatabase, poolOf, cleanUp } = databases
    const url = await emptyDatabase()
    pool = poolOf(way.startsWith('through') ? cleanUp.use(await startPgBouncer(url)).url : url)
    await storeIn().migrate()
  })

  for (const { name, run } of mirrorStoreChecks) it(name, () => run(storeIn()))
})

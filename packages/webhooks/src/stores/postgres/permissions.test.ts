import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, it } from 'vitest'
import { storeChecks } from '../../testing/store-checks.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-databases.ts'
import { type PostgresConnection, postgresStore } from './index.ts'

let databases: TestDatabases
let receiver: PostgresConnection
beforeAll(async () => {
  databases = await startDatabases()
  const url = await databases.emptyDatabase()
  const owner = databases.poolOf(url)
  await postgresStore(owner, { schema: 'notewire' }).migrate()
  const page = await readFile(new URL('../../../../../docs/receiving/stores.md', import.meta.url), 'utf8')
  const [rights = ''] = /(?<=```sql\n)CREATE ROLE receiver.*?(?=```)/s.exec(page) ?? []
  await owner.query(rights)
  await owner.query("ALTER ROLE receiver PASSWORD 'receiver'")
  receiver = databases.poolOf(url.replace('postgres:postgres@', 'receiver:receiver@'))
})
afterAll(() => databases.cleanUp.disposeAsync())

for (const { name, run } of storeChecks) {
  it(`with the documented rights: ${name}`, () => run(postgresStore(receiver, { schema: 'notewire', migrate: false })))
}

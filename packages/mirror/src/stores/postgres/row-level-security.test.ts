import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aLiveState, aNote } from '../../testing/checks/builders.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-database.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

it('shows a role the integration that its transaction has set, with the documented policies', async () => {
  const url = await databases.emptyDatabase()
  const owner = databases.poolOf(url)
  const store = postgresMirror(owner)
  await store.migrate()
  for (const integration of ['acme', 'other']) {
    const content = { note: aNote('note_1', { title: `Budget of ${integration}` }) }
    await store.commit(integration, { notes: [{ state: aLiveState('note_1'), expectedVersion: 0, content }] })
  }
  const [policies = '', query = ''] = await recipe()
  await owner.query(policies)
  await owner.query("ALTER ROLE app PASSWORD 'app'")

  const app = databases.poolOf(url.replace('postgres:postgres@', 'app:app@'), { max: 1 })
  const results: unknown = await app.query(query)
  expect(rowsIn(results)).toContainEqual([{ note_id: 'note_1', title: 'Budget of acme' }])
  expect((await app.query('SELECT * FROM notewire_live_notes')).rows).toEqual([])
  expect((await app.query('SELECT * FROM notewire_mirror_content')).rows).toEqual([])
  expect(await store.search('other', ['budget'], 10)).toHaveLength(1)
})

/** The SQL of the section: the policies, then a transaction. */
async function recipe(): Promise<readonly string[]> {
  const page = await readFile(new URL('../../../../../docs/mirror/stores.md', import.meta.url), 'utf8')
  const section = page.slice(page.indexOf('**Row-level security.**'))
  return [...section.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql)
}

/** The rows of each statement. */
function rowsIn(results: unknown): readonly unknown[] {
  return Array.isArray(results) ? results.map(({ rows }) => rows) : []
}

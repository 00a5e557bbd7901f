import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aLiveState, aNote } from '../../testing/checks/builders.ts'
import { mirrorStoreChecks } from '../../testing/index.ts'
import { drivenMirror, startDatabases, type TestDatabases } from './fixtures/start-database.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
let url: string
let query: string
beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.emptyDatabase()
  const owner = databases.poolOf(url)
  await drivenMirror(owner, { schema: 'notes' }).migrate()
  const [rights = '', policies = '', transaction = ''] = await recipe()
  query = transaction
  await owner.query(rights)
  await owner.query(policies)
  for (const role of ['mirror', 'app']) await owner.query(`ALTER ROLE ${role} PASSWORD '${role}'`)
})
afterAll(() => databases.cleanUp.disposeAsync())

const poolAs = (role: string) => databases.poolOf(url.replace('postgres:postgres@', `${role}:${role}@`))
const storeOfMirror = () => postgresMirror(poolAs('mirror'), { schema: 'notes', migrate: false })

it('shows a role the integration that its transaction has set, and the mirror all, with the documented policies', async () => {
  const store = storeOfMirror()
  for (const integration of ['acme', 'other']) {
    const content = { note: aNote('note_1', { title: `Budget of ${integration}` }) }
    await store.commit(integration, { notes: [{ state: aLiveState('note_1'), expectedVersion: 0, content }] })
  }
  const app = poolAs('app')
  const results: unknown = await app.query(query)
  expect(rowsIn(results)).toContainEqual([{ note_id: 'note_1', title: 'Budget of acme' }])
  expect((await app.query('SELECT * FROM notewire_live_notes')).rows).toEqual([])
  expect((await app.query('SELECT * FROM notewire_mirror_content')).rows).toEqual([])
  expect(await store.search('other', ['budget'], 10)).toHaveLength(1)
})

describe('a mirror with the documented rights and policies', () => {
  for (const { name, run } of mirrorStoreChecks) it(name, () => run(storeOfMirror()))
})

/** The SQL of the page: the rights of the mirror, the policies, then a transaction. */
async function recipe(): Promise<readonly string[]> {
  const page = await readFile(new URL('../../../../../docs/mirror/stores.md', import.meta.url), 'utf8')
  const section = page.slice(page.indexOf('**Schema and migrations.**'))
  return [...section.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql)
}

/** The rows of each statement. */
function rowsIn(results: unknown): readonly unknown[] {
  return Array.isArray(results) ? results.map(({ rows }) => rows) : []
}

import { afterAll, beforeAll } from 'vitest'
import { describeHostileNotes } from '../../../fixtures/hostile-notes.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import type { MirrorStore } from '../../index.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
let store: MirrorStore
beforeAll(async () => {
  databases = await startDatabases()
  store = postgresMirror(await databases.migratedPool())
})
afterAll(() => databases.cleanUp.disposeAsync())

describeHostileNotes('PostgreSQL', () => store, { depths: [20_000], hasLimitedIds: true })

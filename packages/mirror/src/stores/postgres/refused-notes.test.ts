import { afterAll, beforeAll, describe, it } from 'vitest'
import { expectIsolation, nested, randomId } from '../../fixtures/hostile-notes.ts'
import type { MirrorStore } from '../../index.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-database.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
let store: MirrorStore
beforeAll(async () => {
  databases = await startDatabases()
  store = postgresMirror(await databases.migratedPool())
})
afterAll(() => databases.cleanUp.disposeAsync())

describe.each(['one', 'many'] as const)('PostgreSQL with %s, a note that the store may refuse', (mode) => {
  it.each([20_000])('is left out alone if an unknown field is nested %i deep', (depth) =>
    expectIsolation(store, { note: `{"note_id":"hostile","revision":1,"x":${nested(depth)}}`, isRefused: true }, mode),
  )

  it.each([20_000])('keeps its record if an unknown field of its transcript is nested %i deep', (depth) =>
    expectIsolation(
      store,
      { transcript: `{"note_id":"hostile","revision":1,"text":"a","x":${nested(depth)}}`, isRefused: true },
      mode,
    ),
  )

  it.each([
    ['a long id', { note: `{"note_id":"${randomId(9_000)}","revision":1}`, isRefused: true }],
    ['a very long id', { note: `{"note_id":"${randomId(200_000)}","revision":1}`, isRefused: true }],
    ['an id with NUL', { note: '{"note_id":"a\\u0000b","revision":1}' }],
    ['half of a surrogate pair', { note: '{"note_id":"hostile","revision":1,"title":"\\udc00","x":{"\\u0000":1}}' }],
    ['__proto__', { note: '{"note_id":"__proto__","revision":1,"__proto__":{"a":1},"constructor":7}' }],
    [
      'huge numbers',
      { note: '{"note_id":"hostile","revision":9007199254740991,"x":1e999,"created_at":"+275761-01-01"}' },
    ],
  ])('does not stop the others with %s', (_what, hostile) => expectIsolation(store, hostile, mode))
})

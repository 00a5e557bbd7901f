import fc from 'fast-check'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import { withValues } from './with-values.ts'

let databases: TestDatabases
let pool: Pool
beforeAll(async () => {
  databases = await startDatabases()
  pool = await databases.migratedPool()
})
afterAll(() => databases.cleanUp.disposeAsync())

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((each) => each.replaceAll('\0', '')),
  fc.constantFrom("'", "''; DROP TABLE notewire_events; --", '\\', "\\'", "E'", '$$', '$1', 'a"b', '\n', 'ü', '🙂'),
)

it.each(['on', 'off'])(
  'PostgreSQL reads every text as it was, with standard_conforming_strings %s',
  async (setting) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 2, maxLength: 2 }),
        fc.option(fc.integer()),
        async (texts, number) => {
          const statement = withValues('SELECT $1::text AS one, $2::text AS two, $3::bigint::text AS number', [
            ...texts,
            number,
          ])
          const results: unknown = await pool.query(`SET standard_conforming_strings = ${setting}; ${statement}`)
          const [one, two] = texts
          expect(results).toMatchObject([{}, { rows: [{ one, two, number: number === null ? null : String(number) }] }])
        },
      ),
      { numRuns: 100 },
    )
  },
)

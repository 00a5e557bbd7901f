import fc from 'fast-check'
import { it } from 'vitest'
import { describeHostileNotes, expectIsolation, nested } from '../../../fixtures/hostile-notes.ts'
import { sqliteMirror } from './index.ts'

const store = sqliteMirror(':memory:')

describeHostileNotes('SQLite', () => store, { depths: [1_200, 20_000] })

const hostileText = fc.oneof(
  fc.constantFrom('\\u0000', '\\ud800', '\\u001a0000', '__proto__', '+275761-01-01', '2026-13-45'),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text).slice(1, -1)),
)
const hostileValue = fc.oneof(
  hostileText.map((text) => `"${text}"`),
  fc.constantFrom('1e999', '-0', '1e300', '9223372036854775808', 'null', '{"__proto__":{"constructor":1}}'),
  fc.constantFrom(500, 999, 1_001, 5_000, 20_000).map(nested),
)
const hostileFields = fc.dictionary(
  fc.constantFrom('title', 'content', 'status', 'created_at', 'updated_at', 'owner', 'x', '__proto__'),
  hostileValue,
)

it('stores the other notes of a page, whatever a record contains', async () => {
  await fc.assert(
    fc.asyncProperty(hostileFields, async (fields) => {
      const members = Object.entries(fields).map(([name, value]) => `"${name}":${value}`)
      await expectIsolation(store, { note: `{${['"note_id":"hostile"', '"revision":1', ...members].join()}}` }, 'one')
    }),
    { numRuns: 40 },
  )
})

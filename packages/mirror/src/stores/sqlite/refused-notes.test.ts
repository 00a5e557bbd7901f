import fc from 'fast-check'
import { describe, it } from 'vitest'
import { expectIsolation, nested, randomId } from '../../fixtures/hostile-notes.ts'
import { sqliteMirror } from './index.ts'

const store = sqliteMirror(':memory:')

describe.each(['one', 'many'] as const)('SQLite with %s, a note that the store may refuse', (mode) => {
  it.each([1_200, 20_000])('is left out alone if an unknown field is nested %i deep', (depth) =>
    expectIsolation(store, { note: `{"note_id":"hostile","revision":1,"x":${nested(depth)}}`, isRefused: true }, mode),
  )

  it.each([1_200, 20_000])('keeps its record if an unknown field of its transcript is nested %i deep', (depth) =>
    expectIsolation(
      store,
      { transcript: `{"note_id":"hostile","revision":1,"text":"a","x":${nested(depth)}}`, isRefused: true },
      mode,
    ),
  )

  it.each([
    ['a long id', { note: `{"note_id":"${randomId(9_000)}","revision":1}` }],
    ['an id with NUL', { note: '{"note_id":"a\\u0000b","revision":1}' }],
    ['half of a surrogate pair', { note: '{"note_id":"hostile","revision":1,"title":"\\udc00","x":{"\\u0000":1}}' }],
    ['__proto__', { note: '{"note_id":"__proto__","revision":1,"__proto__":{"a":1},"constructor":7}' }],
    [
      'huge numbers',
      { note: '{"note_id":"hostile","revision":9007199254740991,"x":1e999,"created_at":"+275761-01-01"}' },
    ],
  ])('does not stop the others with %s', (_what, hostile) => expectIsolation(store, hostile, mode))
})

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

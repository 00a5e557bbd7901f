import { describe, it } from 'vitest'
import { expectIsolation, nested, randomId } from './fixtures/hostile-notes.ts'
import { memoryMirror } from './fixtures/memory-mirror/memory-mirror.ts'

const store = memoryMirror()

describe.each(['one', 'many'] as const)('memory with %s, a note that the store may refuse', (mode) => {
  it.each([1_200, 20_000])('does not stop the others if an unknown field is nested %i deep', (depth) =>
    expectIsolation(store, { note: `{"note_id":"hostile","revision":1,"x":${nested(depth)}}` }, mode),
  )

  it.each([1_200, 20_000])(
    'does not stop the others if an unknown field of its transcript is nested %i deep',
    (depth) =>
      expectIsolation(
        store,
        { transcript: `{"note_id":"hostile","revision":1,"text":"a","x":${nested(depth)}}` },
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

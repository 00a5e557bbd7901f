import { describe, expect, it } from 'vitest'
import { isTombstone } from './resources.ts'

const note = { note_id: 'note_1', revision: 4 }

describe('a note is a tombstone', () => {
  it.each([
    ['its status is deleted', { status: 'deleted' }],
    ['it has a deletion time', { deleted_at: '2026-05-01T10:00:00Z' }],
    ['it has both', { status: 'deleted', deleted_at: '2026-05-01T10:00:00Z' }],
    ['it has a deletion time and another status', { status: 'ended', deleted_at: '2026-05-01T10:00:00Z' }],
  ])('when %s', (_when, marker) => expect(isTombstone({ ...note, ...marker })).toBe(true))

  it.each([
    {},
    { status: 'ended' },
    { status: 'archived' },
    { deleted_at: null },
    { status: null, deleted_at: undefined },
  ])('and is not a tombstone with %j', (fields) => expect(isTombstone({ ...note, ...fields })).toBe(false))
})

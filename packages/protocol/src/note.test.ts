import { describe, expect, it } from 'vitest'
import { isTombstone } from './note.ts'

const note = { note_id: 'note_1', revision: 4 }

describe('a note is a tombstone', () => {
  it.each([
    ['its status says so', { status: 'deleted' }],
    ['it says when it was deleted', { deleted_at: '2026-05-01T10:00:00Z' }],
    ['it says both', { status: 'deleted', deleted_at: '2026-05-01T10:00:00Z' }],
    ['only the time is new', { status: 'ended', deleted_at: '2026-05-01T10:00:00Z' }],
  ])('when %s', (_when, marker) => expect(isTombstone({ ...note, ...marker })).toBe(true))

  it.each([
    {},
    { status: 'ended' },
    { status: 'archived' },
    { deleted_at: null },
    { status: null, deleted_at: undefined },
  ])('and is none with %j', (fields) => expect(isTombstone({ ...note, ...fields })).toBe(false))
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTombstone } from '../resources.ts'
import { readShape } from './read-shape.ts'
import { noteSchema, recordingSessionSchema } from './resources.ts'

const readNote = (resource: unknown) => readShape(noteSchema, resource, 'the note')

describe('a note', () => {
  it('is identified by its note_id', () => expect(readNote({ note_id: 'note_1', revision: 1 }).note_id).toBe('note_1'))

  it('is identified by its id if the service sends no note_id (open point 2)', () => {
    expect(readNote({ id: 'note_1', revision: 1 })).toEqual({ id: 'note_1', note_id: 'note_1', revision: 1 })
  })

  it('keeps both, and is identified by note_id, if the service sends both (open point 2)', () => {
    expect(readNote({ id: '42', note_id: 'note_1', revision: 1 })).toEqual({ id: '42', note_id: 'note_1', revision: 1 })
  })

  it('needs no more than an identifier and a revision (open point 3)', () => {
    expect(readNote({ note_id: 'note_1', revision: 0 })).toEqual({ note_id: 'note_1', revision: 0 })
  })

  it.each([
    ['identifier', 'note_id', { revision: 1 }],
    ['identifier that is not empty', 'note_id', { note_id: '', revision: 1 }],
    ['identifier that is a string', 'note_id', { id: 42, revision: 1 }],
    ['revision', 'revision', { note_id: 'note_1' }],
    ['revision that is whole', 'revision', { note_id: 'note_1', revision: 1.5 }],
    ['revision of at least 0', 'revision', { note_id: 'note_1', revision: -1 }],
    ['revision that is a safe integer', 'revision', { note_id: 'note_1', revision: 2 ** 53 }],
    ['revision that is a number', 'revision', { note_id: 'note_1', revision: '1' }],
  ])('needs an %s', (_what, path, note) => {
    expect(() => readNote(note)).toThrow(expect.objectContaining({ code: 'shape_invalid', path }))
  })

  it('may have null in any other field (open point 3)', () => {
    const fields = ['title', 'content', 'status', 'transcript_status', 'summary_status', 'owner']
    const times = ['created_at', 'updated_at', 'ended_at', 'deleted_at']
    const note = { note_id: 'note_1', revision: 1, ...Object.fromEntries([...fields, ...times].map((f) => [f, null])) }
    expect(readNote(note)).toEqual(note)
  })

  it('may have a status that the contract does not list (open point 3)', () => {
    const states = { status: fc.string(), transcript_status: fc.string(), summary_status: fc.string() }
    fc.assert(
      fc.property(fc.record(states), (state) => {
        expect(readNote({ note_id: 'note_1', revision: 1, ...state })).toMatchObject(state)
      }),
    )
  })

  it.each([{ type: 'personal' }, { type: 'channel', channel_id: 'channel_1' }, { type: 'team', team_id: 'team_1' }])(
    'may belong to %j (open point 3)',
    (owner) => expect(readNote({ note_id: 'note_1', revision: 1, owner }).owner).toEqual(owner),
  )

  it('keeps the fields that this version does not know', () => {
    const unknown = fc.dictionary(
      fc.string().map((name) => `x_${name}`),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(unknown, (fields) => {
        expect(readNote({ note_id: 'note_1', revision: 1, ...fields })).toEqual({
          note_id: 'note_1',
          revision: 1,
          ...fields,
        })
      }),
    )
  })
})

describe('a tombstone (open point 4)', () => {
  it('is a note record without its content', () => {
    const deleted_at = '2026-05-01T10:00:00Z'
    const tombstone = { note_id: 'note_1', revision: 5, status: 'deleted', title: null, content: null, deleted_at }
    expect(readNote(tombstone)).toEqual(tombstone)
    expect(isTombstone(readNote(tombstone))).toBe(true)
  })

  it.each([{ status: 'deleted' }, { deleted_at: '2026-05-01T10:00:00Z' }])(
    'may have only an identifier, a revision and %j',
    (marker) => expect(isTombstone(readNote({ id: 'note_1', revision: 5, ...marker }))).toBe(true),
  )
})

it('a recording session needs a recording_session_id', () => {
  const session = { recording_session_id: 'session_1', started_at: '2026-05-01T09:00:00Z' }
  expect(recordingSessionSchema.parse(session)).toEqual(session)
  expect(recordingSessionSchema.safeParse({}).success).toBe(false)
})

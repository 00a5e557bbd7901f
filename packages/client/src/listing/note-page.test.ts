import { describe, expect, it } from 'vitest'
import { parseNotePage } from './note-page.ts'

describe('a page of notes', () => {
  it('has its notes in the field of the option notesField', () => {
    const page = parseNotePage({ items: [{ note_id: 'n1', revision: 1 }], has_more: false }, 'items')
    expect(page.notes).toHaveLength(1)
  })

  it.each([
    [{ next_cursor: 'c', has_more: true }, 'c'],
    [{ next_cursor: 'c' }, 'c'],
    [{ next_cursor: 'c', has_more: null }, 'c'],
    [{ next_cursor: 'c', has_more: false }, null],
    [{ next_cursor: null, has_more: false }, null],
    [{ next_cursor: '', has_more: false }, null],
    [{ next_cursor: '' }, null],
    [{ next_cursor: null }, null],
    [{ has_more: false }, null],
    [{ next_cursor: null, has_more: null }, null],
  ])('with %j has the next cursor %j', (ending, next) => {
    expect(parseNotePage({ notes: [], ...ending }, 'notes')).toMatchObject({
      notes: [],
      next_cursor: next,
      has_more: next !== null,
    })
  })

  it.each([
    ['n2', 'revision', { id: 'n2', revision: 'two' }],
    ['n2', 'revision', { note_id: 'n2', id: 7 }],
    [undefined, 'note_id', { note_id: '', id: 'n2', revision: 1 }],
    [undefined, 'note_id', {}],
  ])('leaves out the note %j, whose %s cannot be used', (note_id, field, item) => {
    const page = parseNotePage({ notes: [item, { note_id: 'n1', revision: 1 }], has_more: false }, 'notes')
    expect(page.notes).toEqual([{ note_id: 'n1', revision: 1 }])
    expect(page.leftOut).toEqual([{ note_id, problem: expect.objectContaining({ path: `notes[0].${field}` }) }])
  })

  it.each([
    ['notes', {}],
    ['notes', { notes: { n1: {} } }],
    ['has_more', { notes: [] }],
    ['has_more', { notes: [{ note_id: 'n1', revision: 1 }], has_more: null }],
    ['next_cursor', { notes: [], has_more: true }],
    ['next_cursor', { notes: [], has_more: true, next_cursor: '' }],
    ['next_cursor', { notes: [], next_cursor: 7 }],
    ['has_more', { notes: [], next_cursor: 'c', has_more: 'false' }],
    ['notes', []],
    ['', null],
    ['', 'notes'],
  ])('throws a ShapeError with the path %j for %j', (path, body) => {
    expect(() => parseNotePage(body, 'notes')).toThrow(expect.objectContaining({ code: 'shape_invalid', path }))
  })
})

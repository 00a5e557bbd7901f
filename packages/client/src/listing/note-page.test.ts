import { describe, expect, it } from 'vitest'
import { parseNotePage } from './note-page.ts'

describe('a page of notes', () => {
  it('has its notes in the field of the option notesField', () => {
    const page = parseNotePage({ items: [{ note_id: 'n1', revision: 1 }] }, 'items')
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
    [{}, null],
  ])('with %j has the next cursor %j', (ending, next) => {
    expect(parseNotePage({ notes: [], ...ending }, 'notes')).toEqual({
      notes: [],
      next_cursor: next,
      has_more: next !== null,
    })
  })

  it.each([
    ['notes', {}],
    ['notes', { notes: { n1: {} } }],
    ['notes[1]', { notes: [{ note_id: 'n1', revision: 1 }, 'n2'] }],
    ['notes[1].revision', { notes: [{ note_id: 'n1', revision: 1 }, { note_id: 'n2' }] }],
    ['notes[0].note_id', { notes: [{ note_id: '', revision: 1 }] }],
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

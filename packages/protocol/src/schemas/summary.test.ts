import { describe, expect, it } from 'vitest'
import { readShape } from './read-shape.ts'
import { summarySchema } from './summary.ts'

const readSummary = (resource: unknown) => readShape(summarySchema, resource, 'the summary')

describe('a summary (open point 10)', () => {
  it('has a revision, a status and Markdown', () => {
    const summary = { note_id: 'note_1', revision: 3, status: 'ready', markdown: '# Stand-up' }
    expect(readSummary(summary)).toEqual(summary)
  })

  it('that is not ready has a status and no Markdown', () => {
    const summary = { note_id: 'note_1', revision: 3, status: 'pending', markdown: null }
    expect(readSummary(summary)).toEqual(summary)
  })

  it('without the field markdown has markdown null', () => {
    expect(readSummary({ note_id: 'note_1' })).toEqual({ note_id: 'note_1', markdown: null })
  })

  it('may have a status that the contract does not list', () => {
    expect(readSummary({ id: 'note_1', status: 'translating' })).toMatchObject({
      note_id: 'note_1',
      status: 'translating',
    })
  })

  it.each([
    ['its note', 'note_id', { markdown: '' }],
    ['Markdown that is text', 'markdown', { note_id: 'note_1', markdown: {} }],
  ])('needs %s', (_what, path, summary) => {
    expect(() => readSummary(summary)).toThrow(expect.objectContaining({ path }))
  })
})

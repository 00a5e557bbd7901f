import { describe, expect, it } from 'vitest'
import { readShape } from './read-shape.ts'
import { summarySchema, transcriptSchema } from './resources.ts'

const readTranscript = (resource: unknown) => readShape(transcriptSchema, resource, 'the transcript')
const readSummary = (resource: unknown) => readShape(summarySchema, resource, 'the summary')

describe('a transcript (open point 9)', () => {
  it('has a revision, a text, and segments with their speaker and times', () => {
    const segments = [
      { speaker: 'Ada', start_ms: 0, end_ms: 900, text: 'Good morning.' },
      { speaker: null, start_ms: 900, end_ms: 1400, text: 'Hello.' },
    ]
    const transcript = { note_id: 'note_1', revision: 3, text: 'Good morning. Hello.', segments }
    expect(readTranscript(transcript)).toEqual(transcript)
  })

  it.each([{}, { revision: null, segments: null }, { segments: [] }, { segments: [{ text: 'Hello.' }] }])(
    'may have only %j in addition to its text',
    (fields) => {
      const transcript = { note_id: 'note_1', text: 'Hello.', ...fields }
      expect(readTranscript(transcript)).toEqual(transcript)
    },
  )

  it('may name its note by id', () => expect(readTranscript({ id: 'note_1', text: '' }).note_id).toBe('note_1'))

  it('may be empty', () => expect(readTranscript({ note_id: 'note_1', text: '' }).text).toBe(''))

  it.each([
    ['its note', 'note_id', { text: 'Hello.' }],
    ['a text', 'text', { note_id: 'note_1' }],
    ['a text in each segment', 'segments[0].text', { note_id: 'note_1', text: '', segments: [{}] }],
    ['a whole revision, if any', 'revision', { note_id: 'note_1', text: '', revision: 1.5 }],
  ])('needs %s', (_what, path, transcript) => {
    expect(() => readTranscript(transcript)).toThrow(expect.objectContaining({ path }))
  })
})

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

import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { ShapeError } from '../errors.ts'
import { readEvent } from './read-event.ts'
import { readShape } from './read-shape.ts'
import { noteSchema, transcriptSchema } from './resources.ts'

const readNote = (resource: unknown, what = 'the note') => readShape(noteSchema, resource, what)
const readTranscript = (resource: unknown) => readShape(transcriptSchema, resource, 'the transcript')

const refusalOf = (read: () => unknown): ShapeError => {
  try {
    read()
  } catch (error) {
    if (error instanceof ShapeError) return error
    throw error
  }
  throw new Error('it was not refused')
}

describe('readShape refuses a value that does not match its schema with', () => {
  it('the path of the problem', () => {
    const segments = [{ text: 'Good morning.' }, { text: 7 }]
    const transcript = { note_id: 'note_1', text: 'Good morning. Hello.', segments }
    expect(refusalOf(() => readTranscript(transcript)).path).toBe('segments[1].text')
  })

  it('the name of the value, the path and the expected type', () => {
    expect(refusalOf(() => readNote({ note_id: 'note_1', revision: 'two' })).message).toBe(
      'the note does not match the contract: "revision" should be a whole number from 0 to 9007199254740991.',
    )
  })

  it('an empty path when the whole value is wrong', () => {
    const refusal = refusalOf(() => readNote('<html>', 'a note'))
    expect(refusal.path).toBe('')
    expect(refusal.message).toBe('a note does not match the contract: it should be object.')
  })

  it('a path in an array of arrays', () => {
    const refusal = refusalOf(() => readShape(z.array(z.array(z.string())), [[], ['a', 1]], 'a table'))
    expect(refusal.path).toBe('[1][1]')
  })

  it('the path in the whole body, if the value is a part of it', () => {
    const refusal = refusalOf(() => readShape(z.array(noteSchema), [{ note_id: 'note_1' }], 'the page', 'notes'))
    expect(refusal.path).toBe('notes[0].revision')
    expect(refusal.message).toBe(
      'the page does not match the contract: "notes[0].revision" should be a whole number from 0 to 9007199254740991.',
    )
  })
})

describe('any value', () => {
  it('is read as an event or refused by ShapeError', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        try {
          readEvent(body)
        } catch (error) {
          expect(error).toBeInstanceOf(ShapeError)
        }
      }),
    )
  })

  it.each(['note_id', 'id'])('cannot set a prototype by __proto__, in a note identified by its %s', (identifier) => {
    const body = JSON.parse(`{ "${identifier}": "note_1", "revision": 1, "__proto__": { "title": "Stand-up" } }`)
    expect(readNote(body).title).toBeUndefined()
  })

  it('is never quoted in the error', () => {
    const content = 'the merger is off'
    const wrong = fc.constantFrom(content, [content], { [content]: content }, [[content]], { text: content })
    const field = fc.constantFrom('revision', 'note_id')
    fc.assert(
      fc.property(field, wrong, (name, value) => {
        const note = { note_id: 'note_1', revision: 1, [name]: value }
        fc.pre(name !== 'note_id' || typeof value !== 'string')
        const refusal = refusalOf(() => readNote(note))
        expect(refusal.path).toMatch(new RegExp(`^${name}`))
        expect(inspect(refusal, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(content)
        expect(JSON.stringify({ ...refusal, cause: refusal.cause })).not.toContain(content)
      }),
    )
  })
})

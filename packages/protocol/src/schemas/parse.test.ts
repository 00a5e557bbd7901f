import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { noteSchema } from './note.ts'
import { parseEvent, parseShape, ShapeError } from './parse.ts'
import { transcriptSchema } from './transcript.ts'

const refusalOf = (read: () => unknown): ShapeError => {
  try {
    read()
  } catch (error) {
    if (error instanceof ShapeError) return error
    throw error
  }
  throw new Error('it was not refused')
}

describe('what does not have the shape of the contract is refused with', () => {
  it('the path of the problem', () => {
    const segments = [{ text: 'Good morning.' }, { text: 'Hello.', start_ms: 'soon' }]
    const transcript = { note_id: 'note_1', text: 'Good morning. Hello.', segments }
    expect(refusalOf(() => parseShape(transcriptSchema, transcript, 'a transcript')).path).toBe('segments[1].start_ms')
  })

  it('what it is, where it is wrong and what should be there', () => {
    expect(refusalOf(() => parseShape(noteSchema, { note_id: 'note_1', revision: 'two' }, 'a note')).message).toBe(
      'a note is not as the contract says: "revision" should be number.',
    )
  })

  it('an empty path when it is wrong as a whole', () => {
    const refusal = refusalOf(() => parseShape(noteSchema, '<html>', 'a note'))
    expect(refusal.path).toBe('')
    expect(refusal.message).toBe('a note is not as the contract says: it should be object.')
  })

  it('a place in a list of lists', () => {
    const refusal = refusalOf(() => parseShape(z.array(z.array(z.string())), [[], ['a', 1]], 'a table'))
    expect(refusal.path).toBe('[1][1]')
  })
})

describe('whatever came over the wire', () => {
  it('is read or refused, and nothing else happens', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        try {
          parseEvent(body)
        } catch (error) {
          expect(error).toBeInstanceOf(ShapeError)
        }
      }),
    )
  })

  it.each(['note_id', 'id'])('becomes no prototype, in a note known by its %s', (identifier) => {
    const body = JSON.parse(`{ "${identifier}": "note_1", "revision": 1, "__proto__": { "title": "Stand-up" } }`)
    expect(parseShape(noteSchema, body, 'a note').title).toBeUndefined()
  })

  it('is never repeated in the error', () => {
    const content = 'the merger is off'
    const wrong = fc.constantFrom(content, [content], { [content]: content }, [[content]], { text: content })
    const field = fc.constantFrom('revision', 'title', 'content', 'owner', 'note_id', 'deleted_at')
    fc.assert(
      fc.property(field, wrong, (name, value) => {
        const note = { note_id: 'note_1', revision: 1, [name]: value }
        if (noteSchema.safeParse(note).success) return
        const refusal = refusalOf(() => parseShape(noteSchema, note, 'a note'))
        expect(refusal.path).toMatch(new RegExp(`^${name}`))
        expect(inspect(refusal, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(content)
        expect(JSON.stringify({ ...refusal, cause: refusal.cause })).not.toContain(content)
      }),
    )
  })
})

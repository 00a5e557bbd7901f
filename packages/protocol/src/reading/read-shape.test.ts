import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ShapeError } from '../shape-error.ts'
import { list, text } from './check.ts'
import { readEvent } from './read-event.ts'
import { readNote } from './read-note.ts'
import { readShape } from './read-shape.ts'
import { readTranscript } from './read-transcript.ts'

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
    expect(refusalOf(() => readTranscript(transcript)).path).toBe('segments[1].start_ms')
  })

  it('what it is, where it is wrong and what should be there', () => {
    expect(refusalOf(() => readNote({ note_id: 'note_1', revision: 'two' })).message).toBe(
      'the note is not as the contract says: "revision" should be a whole number from 0.',
    )
  })

  it('an empty path when it is wrong as a whole', () => {
    const refusal = refusalOf(() => readNote('<html>', 'a note'))
    expect(refusal.path).toBe('')
    expect(refusal.message).toBe('a note is not as the contract says: it should be object.')
  })

  it('a place in a list of lists', () => {
    const refusal = refusalOf(() => readShape(list(list(text)), [[], ['a', 1]], 'a table'))
    expect(refusal.path).toBe('[1][1]')
  })
})

describe('whatever came over the wire', () => {
  it('is read or refused, and nothing else happens', () => {
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

  it.each(['note_id', 'id'])('becomes no prototype, in a note known by its %s', (identifier) => {
    const body = JSON.parse(`{ "${identifier}": "note_1", "revision": 1, "__proto__": { "title": "Stand-up" } }`)
    expect(readNote(body).title).toBeUndefined()
  })

  it('is never repeated in the error', () => {
    const content = 'the merger is off'
    const wrong = fc.constantFrom(content, [content], { [content]: content }, [[content]], { text: content })
    const field = fc.constantFrom('revision', 'title', 'content', 'owner', 'note_id', 'deleted_at')
    fc.assert(
      fc.property(field, wrong, (name, value) => {
        const note = { note_id: 'note_1', revision: 1, [name]: value }
        fc.pre(name !== 'title' || typeof value !== 'string')
        fc.pre(!['content', 'note_id', 'deleted_at'].includes(name) || typeof value !== 'string')
        const refusal = refusalOf(() => readNote(note))
        expect(refusal.path).toMatch(new RegExp(`^${name}`))
        expect(inspect(refusal, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(content)
        expect(JSON.stringify({ ...refusal, cause: refusal.cause })).not.toContain(content)
      }),
    )
  })
})

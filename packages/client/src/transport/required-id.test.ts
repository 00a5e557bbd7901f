import { OptionError } from '@notewire/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requireId } from './transport.ts'

describe('an id in a path', () => {
  it('is one segment of the path, and decodes to the same id', () => {
    const ids = fc.string({ unit: 'grapheme', minLength: 1 }).filter((id) => id !== '.' && id !== '..')
    fc.assert(
      fc.property(ids, (id) => {
        const segment = encodeURIComponent(requireId('note_id', id))
        const { pathname, search, hash } = new URL(`https://notes.example/v1/notes/${segment}/summary`)
        const segments = pathname.split('/')
        expect(segments.length).toBe(5)
        expect(decodeURIComponent(segments[3] ?? '')).toBe(id)
        expect(search + hash).toBe('')
      }),
    )
  })

  it.each(['', '.', '..', '\ud800', undefined, null, 7])('is refused when it is %j', (id) => {
    expect(() => requireId('note_id', id)).toThrow(OptionError)
  })
})

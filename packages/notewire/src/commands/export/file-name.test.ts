import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOSTILE_TITLES } from '../../../fixtures/hostile-titles.ts'
import { fileNameOf, isFileName, LONG_ID } from './file-name.ts'

const note = { note_id: 'note_1', revision: 1, created_at: '2026-01-05T10:00:00Z' }
const named = (title: string | null) => fileNameOf({ ...note, title }).replace(/--.*/, '')

const anyTitle = fc.oneof(
  fc.constantFrom(...HOSTILE_TITLES),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

describe('the name of a file', () => {
  it.each([
    ['Stand-up', '2026-01-05-stand-up'],
    ["Ada's budget, Q3/Q4: what's next?", '2026-01-05-adas-budget-q3-q4-whats-next'],
    ['../../etc/passwd', '2026-01-05-etc-passwd'],
    ['CON', '2026-01-05-con'],
    ['a\0b', '2026-01-05-a-b'],
    ['🎻🎻', '2026-01-05-untitled'],
    ['', '2026-01-05-untitled'],
    [null, '2026-01-05-untitled'],
    ['Ärger in Köln', '2026-01-05-ärger-in-köln'],
    ['週次の会議', '2026-01-05-週次の会議'],
    ['हिन्दी बैठक', '2026-01-05-हिन्दी-बैठक'],
    ['x'.repeat(300), `2026-01-05-${'x'.repeat(60)}`],
  ])('of a note with the title %j begins with %s', (title, name) => expect(named(title)).toBe(name))

  it('begins with "undated" if the note has no date of creation', () => {
    expect(fileNameOf({ note_id: 'note_1', revision: 1, title: 'A', created_at: '../..' })).toMatch(/^undated-a--/)
  })

  it('is safe on every file system with any title and id', () => {
    fc.assert(
      fc.property(anyTitle, fc.string({ unit: 'binary' }), fc.constantFrom(8, LONG_ID), (title, note_id, length) => {
        const name = fileNameOf({ ...note, note_id, title }, length)
        expect(isFileName(name)).toBe(true)
        expect(name).not.toMatch(/[\p{Cc}\p{Cs}/\\:*?"<>|]|^\.|[. ]$/u)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(length === LONG_ID ? 167 : 143)
        expect(name).toBe(name.normalize('NFC'))
        expect(name).toBe(name.toLowerCase())
      }),
    )
  })

  it('differs for two notes with the same title, even if the file system ignores case', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), anyTitle, (one, other, title) => {
        fc.pre(one !== other)
        const names = [one, other].map((note_id) => fileNameOf({ ...note, note_id, title }).toLowerCase())
        expect(names[0]).not.toBe(names[1])
      }),
    )
  })
})

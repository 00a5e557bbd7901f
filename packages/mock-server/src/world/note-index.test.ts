import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NoteIndex } from './note-index.ts'
import { noteBegun, noteMoved } from './note-life.ts'

const PLACES = ['personal', 'one', 'two']
const aNoteIn = (place: string, sequence: number) =>
  noteBegun({ note_id: `note ${sequence}`, sequence, title: null, content: null, place }, 0)
const aPlace = fc.constantFrom(...PLACES)

describe('the index of notes', () => {
  it('lists the notes of any places in order of creation, each once, whatever was moved and however large the pages', () => {
    const worlds = fc.record({
      born: fc.array(aPlace, { maxLength: 40 }),
      moves: fc.array(fc.record({ note: fc.nat(39), to: aPlace })),
      places: fc.subarray(PLACES),
      limit: fc.integer({ min: 1, max: 10 }),
    })
    fc.assert(
      fc.property(worlds, ({ born, moves, places, limit }) => {
        const index = new NoteIndex()
        const expected = born.map((place, sequence) => ({ sequence, place }))
        for (const [sequence, place] of born.entries()) index.put(aNoteIn(place, sequence))
        for (const { note, to } of moves) {
          const moved = index.find(`note ${note}`)
          if (moved !== undefined) index.put(noteMoved(moved, to))
          if (moved !== undefined) expected[note] = { sequence: note, place: to }
        }
        expect(readInPages(index, places, limit)).toEqual(
          expected.filter(({ place }) => places.includes(place)).map(({ sequence }) => sequence),
        )
      }),
    )
  })

  it('does not look at the notes before the cursor, nor at those of other places', () => {
    const index = new NoteIndex()
    for (let sequence = 0; sequence < 1000; sequence++)
      index.put(aNoteIn(sequence < 900 ? 'personal' : 'one', sequence))
    const looks: number[] = []
    const admits = ({ sequence }: { sequence: number }) => looks.push(sequence) > 0
    index.list({ places: ['personal'], after: 800, limit: 2, admits })
    index.list({ places: ['one'], after: -1, limit: 1, admits })
    expect(looks).toEqual([801, 802, 803, 900, 901])
  })
})

function readInPages(index: NoteIndex, places: readonly string[], limit: number): readonly number[] {
  const read: number[] = []
  for (let more = true; more; ) {
    const { notes, hasMore } = index.list({ places, after: read.at(-1) ?? -1, limit, admits: () => true })
    expect(notes.length).toBeLessThanOrEqual(limit)
    read.push(...notes.map(({ sequence }) => sequence))
    more = hasMore
  }
  return read
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NoteRecord, noteBegun, noteDeleted, revised } from './note.ts'
import { NoteIndex } from './note-index.ts'

const PLACES = ['personal', 'one', 'two']
const aNoteIn = (place: string, sequence: number) =>
  noteBegun({ note_id: `note ${sequence}`, sequence, title: null, content: null, place }, 0)
const aPlace = fc.constantFrom(...PLACES)

const aHistory = fc.record({
  created: fc.array(aPlace, { maxLength: 200 }),
  acts: fc.array(fc.record({ note: fc.nat(199), at: fc.nat(50), act: fc.constantFrom('edit', 'delete', ...PLACES) })),
  places: fc.subarray(PLACES),
  limit: fc.integer({ min: 1, max: 10 }),
  updatedFrom: fc.constantFrom(Number.NEGATIVE_INFINITY, 0, 1, 25, 50),
  includeDeleted: fc.boolean(),
})

describe('the index of notes', () => {
  it('lists the same notes in pages of any size as a filter over all notes, after any edits, deletions and moves', () => {
    fc.assert(
      fc.property(aHistory, ({ created, acts, places, limit, updatedFrom, includeDeleted }) => {
        const index = new NoteIndex()
        for (const [sequence, place] of created.entries()) index.put(aNoteIn(place, sequence))
        for (const { note, at, act } of acts) {
          const found = index.find(`note ${note}`)
          if (found !== undefined) index.put(afterAct(found, act, at))
        }
        const wanted = index
          .all()
          .filter((note) => places.includes(note.place) && note.updated_at >= updatedFrom)
          .filter(({ status }) => includeDeleted || status !== 'deleted')
        expect(readInPages(index, { places, limit, updatedFrom, includeDeleted })).toEqual(
          wanted.map(({ sequence }) => sequence),
        )
      }),
    )
  })
})

function afterAct(note: NoteRecord, act: string, at: number): NoteRecord {
  if (note.status === 'deleted') return note
  if (act === 'edit') return revised(note, at, { title: `${note.revision}` })
  return act === 'delete' ? noteDeleted(note, at) : { ...note, place: act }
}

function readInPages(index: NoteIndex, query: Omit<Parameters<NoteIndex['list']>[0], 'after'>): readonly number[] {
  const read: number[] = []
  for (let more = true; more; ) {
    const { notes, hasMore } = index.list({ ...query, after: read.at(-1) ?? -1 })
    expect(notes.length).toBeLessThanOrEqual(query.limit)
    read.push(...notes.map(({ sequence }) => sequence))
    more = hasMore
  }
  return read
}

import { noteSchema } from '@notewire/protocol/schemas'
import { expect, it } from 'vitest'
import { aNote } from './a-note.ts'

it('returns a complete note with the given fields', () => {
  expect(noteSchema.parse(aNote({ title: 'Mine' }))).toEqual(aNote({ title: 'Mine' }))
})

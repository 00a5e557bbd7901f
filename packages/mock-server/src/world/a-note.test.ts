import { noteSchema } from '@notewire/protocol/schemas'
import { expect, it } from 'vitest'
import { aNote } from './a-note.ts'

it('makes a complete note with the fields that the test passes', () => {
  expect(noteSchema.parse(aNote({ title: 'Mine' }))).toEqual(aNote({ title: 'Mine' }))
})

import { expect, it } from 'vitest'
import { fileOf } from '../../../../storage/src/sqlite-file.ts'

it.each([
  ['win32', 'file:///C:/notes/mine.db', 'C:/notes/mine.db'],
  ['win32', 'file:///c:/my%20notes.db?mode=ro', 'c:/my notes.db'],
  ['win32', 'file:notes.db', 'notes.db'],
  ['linux', 'file:///C:/notes/mine.db', '/C:/notes/mine.db'],
])('in %s, the URI %s names the file %s', (platform, uri, file) => {
  expect(fileOf(uri, platform)).toBe(file)
})

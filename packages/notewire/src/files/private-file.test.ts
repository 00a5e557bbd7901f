import { win32 } from 'node:path'
import { expect, it } from 'vitest'
import { missingFolders } from './private-file.ts'

it('the missing parents of a folder come before it', () => {
  const exists = (folder: string) => folder === '/home'
  expect(missingFolders('/home/notes/2026', exists)).toEqual(['/home/notes', '/home/notes/2026'])
})

it('in Windows, the search for missing parents ends at a drive that is missing', () => {
  expect(missingFolders('Z:\\notes\\2026', () => false, win32)).toEqual(['Z:\\', 'Z:\\notes', 'Z:\\notes\\2026'])
})

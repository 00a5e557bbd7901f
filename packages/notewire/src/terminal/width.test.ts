import { expect, it } from 'vitest'
import { cut, displayWidth, printable } from './width.ts'

it('counts wide characters as two columns', () => {
  expect(displayWidth('\u001b[1m週次\u001b[22m 👩‍👩‍👧‍👦')).toBe(7)
  expect(cut('長'.repeat(10), 20)).toBe('長'.repeat(10))
  expect(cut('長'.repeat(11), 20)).toBe(`${'長'.repeat(9)}…`)
})

it('replaces the characters that a terminal would execute', () => {
  expect(printable('a\u001b[2J\u0007\u0085\u2028\u202eb\n')).toBe('a [2J    b ')
})

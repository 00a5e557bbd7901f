import { describe, expect, it } from 'vitest'
import { variableCommand, windowsArgument, withSpaces } from './shell-quoted.ts'

describe('an argument in PowerShell and cmd.exe', () => {
  it.each([
    ['C:\\Users\\me\\notes.db', 'C:\\Users\\me\\notes.db'],
    ['C:\\My notes\\notes.db', '"C:\\My notes\\notes.db"'],
    ['C:\\My notes\\', '"C:\\My notes\\\\"'],
    ['C:\\$Recycle.Bin\\it’s', "'C:\\$Recycle.Bin\\it’’s'"],
    ['say "hello"', '\'say "hello"\''],
    ['a,b', '"a,b"'],
  ])('%s is written as %s', (text, argument) => {
    expect(windowsArgument(text)).toBe(argument)
  })
})

it.each([
  ['linux', 'export NOTES_API_KEY_FILE=key.txt'],
  ['win32', "$env:NOTES_API_KEY_FILE = 'key.txt'"],
] as const)('a variable is set in the shell of %s', (platform, command) => {
  expect(withSpaces(variableCommand('NOTES_API_KEY_FILE', 'key.txt', platform))).toBe(command)
})

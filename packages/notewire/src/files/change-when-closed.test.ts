import { expect, it } from 'vitest'
import { systemError } from '../errors/system-error.ts'
import { changeWhenClosed } from './change-when-closed.ts'

function openElsewhere(code: string, times: number) {
  const seen = { attempts: 0 }
  const change = async () => {
    seen.attempts += 1
    if (seen.attempts <= times) throw systemError(code, 'notes.jsonl')
  }
  return { seen, change }
}

it.each(['EPERM', 'EACCES', 'EBUSY'])(
  'in Windows, a file is changed after another program closed it: %s',
  async (code) => {
    const { seen, change } = openElsewhere(code, 2)
    await changeWhenClosed(change, 'win32')
    expect(seen.attempts).toBe(3)
  },
)

it('in Windows, a file that stays open is an error after a second', async () => {
  const { change } = openElsewhere('EBUSY', Number.POSITIVE_INFINITY)
  await expect(changeWhenClosed(change, 'win32')).rejects.toMatchObject({ code: 'EBUSY' })
})

it.each([
  ['ENOENT', 'win32'],
  ['EPERM', 'darwin'],
] as const)('%s in %s is an error at once', async (code, platform) => {
  const { seen, change } = openElsewhere(code, 1)
  await expect(changeWhenClosed(change, platform)).rejects.toMatchObject({ code })
  expect(seen.attempts).toBe(1)
})

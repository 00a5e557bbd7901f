import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callHook } from './user-functions.ts'

const unhandled: unknown[] = []
const remember = (reason: unknown) => void unhandled.push(reason)
beforeEach(() => void process.on('unhandledRejection', remember))
afterEach(() => void process.off('unhandledRejection', remember))

describe('a hook', () => {
  it('gets the notice', () => {
    const notices: unknown[] = []
    callHook((notice) => notices.push(notice), 'a')
    callHook(undefined, 'b')
    expect(notices).toEqual(['a'])
  })

  it.each<[string, () => unknown]>([
    ['throws', () => failing()],
    ['rejects', async () => failing()],
  ])('that %s does not affect its caller; the error is passed to `failed`', async (_, hook) => {
    const errors: unknown[] = []
    callHook(hook, undefined, (error) => errors.push(error))
    callHook(hook, undefined)
    await new Promise((resolve) => setTimeout(resolve))
    expect(errors).toEqual([new Error('no')])
    expect(unhandled).toEqual([])
  })
})

function failing(): never {
  throw new Error('no')
}

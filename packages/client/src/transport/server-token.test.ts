import { describe, expect, it } from 'vitest'
import { serverToken } from './server-token.ts'

describe('serverToken', () => {
  it.each(['not_found', 'NOT_FOUND', 'notes:read', 'req-1.7', '7f3c9a52-2f6e-4a4e-9d0c-0a5f3f7e1b11'])(
    'keeps %s',
    (name) => {
      expect(serverToken(name)).toBe(name)
    },
  )

  it.each(['', 'free text', '<b>', 'x'.repeat(65), 'ntw_live_k7.s3cret', 7, null, undefined])('drops %j', (name) => {
    expect(serverToken(name)).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { isLoopback } from './loopback.ts'

describe('this machine', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1', '[::1]', '::ffff:127.0.0.1'])(
    'has the host %s',
    (host) => expect(isLoopback(host)).toBe(true),
  )

  it.each([
    '',
    '0.0.0.0',
    '192.168.0.1',
    '127.0.0.1.evil.example',
    '127.evil.example',
    'localhost.evil.example',
    // A DNS server may resolve such a name to any address.
    'app.localhost',
    '::2',
    '[::1',
  ])('does not have the host %j', (host) => expect(isLoopback(host)).toBe(false))
})

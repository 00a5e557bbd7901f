import { describe, expect, it } from 'vitest'
import { consoleHeaders, refusalOf } from './guard.ts'

interface TestRequest {
  readonly host: string
  readonly origin?: string
  readonly method?: string
  readonly from?: string
  readonly consoleHosts?: readonly string[]
}

function refusalFor({
  host,
  origin,
  method = 'GET',
  from = '127.0.0.1',
  consoleHosts = [],
}: TestRequest): string | undefined {
  const headers = new Headers({ host, ...(origin === undefined ? {} : { origin }) })
  const refusal = refusalOf(new Request('http://127.0.0.1:4010/console/notes', { method, headers }), {
    address: from,
    consoleHosts,
  })
  return refusal && `${refusal.problem}. ${refusal.remedy}`
}

describe('the console answers', () => {
  it.each(['127.0.0.1:4010', 'localhost:4010', '[::1]:4010', 'LOCALHOST:4010', '127.8.9.10'])(
    'requests to %s, a host name of this machine',
    (host) => expect(refusalFor({ host })).toBeUndefined(),
  )

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('requests from %s, this machine', (from) =>
    expect(refusalFor({ host: 'localhost:4010', from })).toBeUndefined(),
  )

  it('a form of the console', () => {
    expect(refusalFor({ host: 'localhost:4010', origin: 'http://localhost:4010', method: 'POST' })).toBeUndefined()
  })

  it('other machines, under a name of consoleHosts', () => {
    const others = { from: '192.168.1.20', consoleHosts: ['Notes.internal'] }
    expect(refusalFor({ host: 'notes.internal:4010', ...others })).toBeUndefined()
    expect(refusalFor({ host: 'elsewhere.test:4010', ...others })).toContain('host name')
  })
})

describe('the console refuses', () => {
  it.each([
    'evil.test:4010',
    '127.0.0.1.evil.test',
    'localhost.evil.test',
    '192.168.1.5:4010',
    '0.0.0.0:4010',
    '',
    '[',
    'a b',
  ])('the host name "%s", which an attacker can resolve to this machine', (host) =>
    expect(refusalFor({ host })).toContain('--console-host'),
  )

  it.each(['192.168.1.20', '10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', '128.0.0.1', undefined])(
    'requests from another machine (%s), with any host name',
    (from) => {
      const visitor = { address: from, consoleHosts: [] }
      const headers = { host: 'localhost:4010' }
      expect(refusalOf(new Request('http://localhost:4010/console', { headers }), visitor)?.problem).toContain(
        'only requests from this machine',
      )
    },
  )

  it.each(['http://evil.test', 'http://localhost:3000', 'https://localhost', 'null', 'http://127.0.0.1:4010', ''])(
    'a form from "%s"',
    (origin) => expect(refusalFor({ host: 'localhost:4010', origin, method: 'POST' })).toContain('Origin'),
  )

  it('a form without an origin', () =>
    expect(refusalFor({ host: 'localhost:4010', method: 'POST' })).toContain('Origin'))

  it('a GET of another origin', () => {
    expect(refusalFor({ host: 'localhost:4010', origin: 'http://evil.test' })).toContain('Origin')
  })
})

it('stops a browser from running scripts of other origins, and from framing or storing an answer', () => {
  const { headers } = consoleHeaders(new Response('page', { headers: { 'content-type': 'text/html' } }))
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(headers.get('content-security-policy')).not.toContain('unsafe')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-type')).toBe('text/html')
})

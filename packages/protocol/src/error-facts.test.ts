import { describe, expect, it } from 'vitest'
import { errorFactsOf, shortWord, unreachedAddressOf } from './error-facts.ts'

describe('the facts of an error', () => {
  it.each([
    [new TypeError('the note says "secret"'), { name: 'TypeError', code: null }],
    [Object.assign(new Error('no'), { code: 'ECONNRESET' }), { name: 'Error', code: 'ECONNRESET' }],
    [Object.assign(new Error('no'), { code: 23505 }), { name: 'Error', code: '23505' }],
    [
      { name: 'a title of a note', code: { note: 1 } },
      { name: 'Error', code: null },
    ],
    ['a title of a note', { name: 'Error', code: null }],
    [undefined, { name: 'Error', code: null }],
    [Object.assign(new Error('no'), { code: 'ntw_live_k7.s3cret' }), { name: 'Error', code: null }],
  ])('are its name and code, never its message: %s', (thrown, facts) => {
    expect(errorFactsOf(thrown)).toEqual(facts)
  })

  it('are empty if the value throws when it is read', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(errorFactsOf(proxy)).toEqual({ name: 'Error', code: null })
  })
})

/** As node-redis throws it: its class does not set a name. */
class SimpleError extends Error {}
const named = (name: string, message: string) => Object.assign(new Error(message), { name })
const coded = (code: unknown, rest: object = {}) => Object.assign(new Error('private'), { code, ...rest })

describe('the code', () => {
  it.each([
    ['the first word of a reply of Redis', named('ReplyError', 'WRONGTYPE Operation of "private"'), 'WRONGTYPE'],
    ['the same of node-redis', new SimpleError("READONLY You can't write"), 'READONLY'],
    ['the same of Upstash', named('UpstashError', 'NOPERM this user, command was: ["private"]'), 'NOPERM'],
    ['no word of another reply', named('ReplyError', 'Private words'), null],
    ['no word of another error', new Error('PRIVATE words'), null],
    ['the system code of a cause', new TypeError('fetch failed', { cause: coded('ECONNRESET') }), 'ECONNRESET'],
    ['that of the addresses of a host', new AggregateError([coded('ECONNREFUSED')], 'none'), 'ECONNREFUSED'],
    ['the SQLSTATE in an error of Drizzle', new Error('Failed query: private', { cause: coded('42P01') }), '42P01'],
    ['the same of Sequelize', Object.assign(new Error('private'), { original: coded('25006') }), '25006'],
    [
      'the same of Prisma',
      coded('P2010', { meta: { driverAdapterError: { cause: { originalCode: '40001' } } } }),
      '40001',
    ],
    ['the result code of node:sqlite', coded('ERR_SQLITE_ERROR', { errcode: 13 }), 'SQLITE_FULL'],
    ['the primary one of an extended result code', coded('ERR_SQLITE_ERROR', { errcode: 1032 }), 'SQLITE_READONLY'],
    ['that of better-sqlite3', coded('SQLITE_BUSY_SNAPSHOT'), 'SQLITE_BUSY_SNAPSHOT'],
  ])('is %s', (_what, thrown, code) => {
    expect(errorFactsOf(thrown).code).toBe(code)
  })

  it('is not looked for without an end', () => {
    const error = new Error('one')
    error.cause = new Error('two', { cause: error })
    expect(errorFactsOf(error).code).toBeNull()
  })
})

it('the name is that of the class if the error has none of its own', () => {
  expect(errorFactsOf(new SimpleError('ERR')).name).toBe('SimpleError')
  expect(errorFactsOf(new (class Private extends Error {})('x')).name).toBe('Error')
})

describe('the address that could not be reached', () => {
  const refused = { syscall: 'connect', address: '10.0.0.7', port: 5432 }
  it.each([
    ['host and port', coded('ECONNREFUSED', refused), '10.0.0.7:5432'],
    ['an address of IPv6', coded('ECONNREFUSED', { ...refused, address: '::1' }), '[::1]:5432'],
    [
      'the host that has no address',
      coded('ENOTFOUND', { syscall: 'getaddrinfo', hostname: 'db.internal' }),
      'db.internal',
    ],
    ['a socket', coded('ENOENT', { syscall: 'connect', address: '/run/pg/.s.PGSQL.5432' }), '/run/pg/.s.PGSQL.5432'],
    ['that of a cause', new TypeError('fetch failed', { cause: coded('ECONNREFUSED', refused) }), '10.0.0.7:5432'],
    ['the first of a host', new AggregateError([coded('ECONNREFUSED', refused)], 'none'), '10.0.0.7:5432'],
    ['nothing of an error of a program', coded('INVALID', { address: 'Elm-Street', port: 7 }), undefined],
    ['nothing that is no host', coded('ECONNREFUSED', { ...refused, address: 'Elm Street 7' }), undefined],
  ])('is %s', (_what, thrown, address) => {
    expect(unreachedAddressOf(thrown)).toBe(address)
  })
})

describe('shortWord', () => {
  it.each(['not_found', 'NOT_FOUND', 'notes:read', 'req-1.7', '7f3c9a52-2f6e-4a4e-9d0c-0a5f3f7e1b11'])(
    'keeps %s',
    (name) => {
      expect(shortWord(name)).toBe(name)
    },
  )

  it.each(['', 'free text', '<b>', 'x'.repeat(65), 'ntw_live_k7.s3cret', 7, null, undefined])('drops %j', (name) => {
    expect(shortWord(name)).toBeUndefined()
  })
})

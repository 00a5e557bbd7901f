import { describe, expect, it } from 'vitest'
import { traceOf } from './error-trace.ts'
import { explainFailure } from './known-failures.ts'

const coded = (code: string, rest: object = {}) => Object.assign(new Error('private'), { code, ...rest })

describe('a known failure', () => {
  it.each([
    [coded('3D000'), /^SQLSTATE 3D000: the database of the connection does not exist\. Create it/],
    [coded('42P01'), /^SQLSTATE 42P01: a table does not exist\. Create it/],
    [coded('40001'), /isolation level read committed/],
    [coded('25006'), /^SQLSTATE 25006: the connection is read-only\. Connect to the primary/],
    [coded('08006'), /^SQLSTATE 08006: the connection to the server failed/],
    [new Error('no such table: copies'), /^SQLite reports "no such table"\. Create the table/],
    [coded('ERR_SQLITE_ERROR', { errcode: 26 }), /^SQLite reports "file is not a database"\. .*Pass the path/],
    [coded('SQLITE_READONLY_DBMOVED'), /^SQLite reports "attempt to write a readonly database"/],
    [new Error('D1_ERROR: database is locked: SQLITE_BUSY'), /^SQLite reports "database is locked"/],
    [
      coded('ECONNREFUSED', { syscall: 'connect', address: '127.0.0.1', port: 5432 }),
      /^127\.0\.0\.1:5432 could not be reached \(ECONNREFUSED\)\. Check that the server runs/,
    ],
    [coded('ECONNRESET'), /^A connection was interrupted\. Check the server/],
    [new Error('Connection terminated unexpectedly'), /^A connection was interrupted/],
  ])('has its next step, and nothing of the message: %o', (thrown, words) => {
    expect(explainFailure(thrown)).toMatch(words)
    expect(JSON.stringify(traceOf(thrown, 'the store'))).not.toMatch(/private|copies/)
    expect(traceOf(thrown, 'the store')).toMatchObject({ problem: expect.stringMatching(words) })
  })

  it.each([coded('EEXIST'), coded('none'), coded('constructor'), new Error('no'), 'no such', undefined])(
    'is no other error: %o',
    (thrown) => {
      expect(explainFailure(thrown)).toBeUndefined()
    },
  )
})

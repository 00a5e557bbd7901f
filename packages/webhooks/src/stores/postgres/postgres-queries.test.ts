import { postgresCodeOf } from '@notewire/storage'
import { describe, expect, it } from 'vitest'
import { postgresStore } from './postgres-store.ts'

describe('the SQLSTATE of an error', () => {
  it('is that of the error or of a cause', () => {
    const driverError = Object.assign(new Error('locked'), { code: '55P03' })
    expect(postgresCodeOf(driverError)).toBe('55P03')
    expect(postgresCodeOf(new Error('failed', { cause: new Error('query', { cause: driverError }) }))).toBe('55P03')
  })

  it('is the original code of the driver in an error of Prisma', () => {
    const driverAdapterError = Object.assign(new Error('adapter'), {
      cause: { kind: 'postgres', originalCode: '40P01' },
    })
    expect(postgresCodeOf(driverAdapterError)).toBe('40P01')
    expect(postgresCodeOf(Object.assign(new Error('raw'), { code: 'P2010', meta: { driverAdapterError } }))).toBe(
      '40P01',
    )
  })

  it('is undefined if no cause has one, even if the causes are a cycle', () => {
    const error = new Error('failed')
    error.cause = new Error('query', { cause: error })
    expect(postgresCodeOf(error)).toBeUndefined()
  })
})

describe('a statement that PostgreSQL ends because of a deadlock', () => {
  /** A connection whose first statements end in a deadlock. */
  function deadlocking(times: number) {
    let sent = 0
    const query = async () => {
      sent += 1
      if (sent <= times) throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
      return { rows: [] }
    }
    return { query, sent: () => sent }
  }

  it.each([
    ['migrate', 1],
    ['prune', 2],
  ] as const)('is sent again by %s', async (operation, statements) => {
    const connection = deadlocking(4)
    await postgresStore(connection)[operation]()
    expect(connection.sent()).toBe(4 + statements)
  })

  it('fails after five attempts', async () => {
    const connection = deadlocking(99)
    await expect(postgresStore(connection).migrate()).rejects.toMatchObject({ cause: { code: '40P01' } })
    expect(connection.sent()).toBe(5)
  })
})

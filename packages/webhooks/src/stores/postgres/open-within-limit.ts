import { STORE_TIME_LIMIT_MS } from '../../interfaces/store.ts'
import { GivenUpError, timeoutOf } from './transaction-opener.ts'

/** Runs work in a transaction of a library: `(work) => database.transaction(work)`. It commits when the work resolves. */
export type OpenTransaction<Transaction> = (work: (transaction: Transaction) => Promise<void>) => PromiseLike<unknown>

/**
 * Opens a transaction of a library, and rejects if the library takes longer than 5 s to begin, to commit or to roll back. A library may wait
 * for its pool or for a connection without a limit, and the event would keep its slot. The time of the work itself does not count, even if
 * the library does the work again.
 *
 * @throws PostgresTimeoutError after 5 s. The library may still commit, but it can no longer begin the work
 */
export function openWithinLimit<Transaction>(
  open: OpenTransaction<Transaction>,
  work: (transaction: Transaction) => Promise<void>,
): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  let isLate = false
  const limit = (operation: string) =>
    setTimeout(() => {
      isLate = true
      reject(timeoutOf(operation))
    }, STORE_TIME_LIMIT_MS)
  let timer = limit('begin')
  const opened = async () =>
    await open(async (transaction) => {
      if (isLate) throw new GivenUpError()
      clearTimeout(timer)
      let next = 'rollback'
      try {
        await work(transaction)
        next = 'commit'
      } finally {
        timer = limit(next)
      }
    })
  return Promise.race([opened(), late]).finally(() => clearTimeout(timer))
}

import { TransactionEndedError } from '../../interfaces/transaction-store.ts'
import { TOO_LATE } from './handler-client.ts'

/** A transaction of a library, as a handler gets it. */
export interface EndableTransaction<Transaction> {
  /** The transaction. Its methods are refused after the end. */
  readonly transaction: Transaction
  /** The handler has ended. */
  end(): void
  /** @throws TransactionEndedError if the handler has used the transaction after its end */
  requireUnused(): void
}

/**
 * Lets a handler use the transaction of a library only until the handler has ended. Some libraries would run a later statement on the same
 * connection, in the transaction of another event. What the transaction has made before, such as a query builder, is not refused.
 */
export function endableTransaction<Transaction>(given: Transaction): EndableTransaction<Transaction> {
  if (!isObject(given)) return { transaction: given, end: () => undefined, requireUnused: () => undefined }
  let hasEnded = false
  let wasUsed = false
  const refuseAfterEnd = () => {
    if (!hasEnded) return
    wasUsed = true
    throw new TransactionEndedError(TOO_LATE)
  }
  const transaction: Transaction & object = new Proxy(given, {
    get(target, key) {
      // Symbols are read by those who print or compare objects.
      if (typeof key === 'string') refuseAfterEnd()
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function' || key === 'constructor' || isFixed(target, key)) return value
      // Private fields exist on the transaction itself only.
      return new Proxy(value, {
        apply: (method, self, values) => Reflect.apply(method, self === transaction ? target : self, values),
      })
    },
    apply(target, self, values) {
      refuseAfterEnd()
      return Reflect.apply(target as never, self, values)
    },
  })
  return {
    transaction,
    end: () => {
      hasEnded = true
    },
    requireUnused: () => {
      if (wasUsed) throw new TransactionEndedError(TOO_LATE)
    },
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

/** A proxy must return the value of such a property unchanged. */
function isFixed(target: object, key: PropertyKey): boolean {
  const own = Reflect.getOwnPropertyDescriptor(target, key)
  return own !== undefined && own.configurable === false && own.writable === false
}

import { withinTimeLimit } from '@notewire/storage'
import { TransactionEndedError } from '../../interfaces/transaction-store.ts'
import { STILL_RUNNING, TOO_LATE } from './handler-client.ts'
import { isPromise } from './query-arguments.ts'
import { ENDED_AFTER_MS } from './transaction-opener.ts'

/** A transaction of a library, as a handler gets it. */
export interface EndableTransaction<Transaction> {
  /** The transaction. Its methods are refused after the end. */
  readonly transaction: Transaction
  /** The handler has ended. Resolves when the transactions within this one have ended, too, or PostgreSQL has ended the connection. */
  end(): Promise<void>
  /** @throws TransactionEndedError if the handler has used the transaction after its end, or has not waited for one within it */
  requireComplete(): void
}

/**
 * Lets a handler use the transaction of a library only until the handler has ended. Some libraries would run a later statement on the same
 * connection, in the transaction of another event. What the transaction has made before, such as a query builder, is not refused.
 */
export function endableTransaction<Transaction>(given: Transaction): EndableTransaction<Transaction> {
  const use = new HandlerUse()
  return {
    transaction: guarded(given, use),
    end: () => use.end(),
    requireComplete: () => use.requireComplete(),
  }
}

/** What a handler does with its transaction, and with those within it. */
class HandlerUse {
  readonly #nested = new Set<PromiseLike<unknown>>()
  #hasEnded = false
  #failure: string | undefined

  refuseAfterEnd(): void {
    if (!this.#hasEnded) return
    this.#failure ??= TOO_LATE
    throw new TransactionEndedError(TOO_LATE)
  }

  addNested(running: PromiseLike<unknown>): void {
    const ended = () => void this.#nested.delete(running)
    this.#nested.add(running)
    running.then(ended, ended)
  }

  async end(): Promise<void> {
    this.#hasEnded = true
    if (this.#nested.size > 0) this.#failure ??= STILL_RUNNING
    // The library ends a nested transaction with statements of its own, which must not run in the transaction of another event.
    // One that waits for something else may never end, but PostgreSQL ends its connection.
    const nested = Promise.allSettled(this.#nested)
    await withinTimeLimit(nested, ENDED_AFTER_MS, () => new TransactionEndedError(STILL_RUNNING)).catch(() => undefined)
  }

  requireComplete(): void {
    if (this.#failure !== undefined) throw new TransactionEndedError(this.#failure)
  }
}

/** The methods that call a function with a transaction within the transaction. */
const NESTING: ReadonlySet<unknown> = new Set(['transaction', '$transaction', 'savepoint'])

function guarded<Transaction>(given: Transaction, use: HandlerUse): Transaction {
  if (!isObject(given)) return given
  const transaction: Transaction & object = new Proxy(given, {
    get(target, key) {
      // Symbols are read by those who print or compare objects.
      if (typeof key === 'string') use.refuseAfterEnd()
      const value: unknown = Reflect.get(target, key, target)
      if (!isCallable(value) || key === 'constructor' || isFixed(target, key)) return value
      // Private fields exist on the transaction itself only.
      return new Proxy(value, {
        apply(method, self, values) {
          const own = self === transaction ? target : self
          return NESTING.has(key) ? nest(method, own, values, use) : Reflect.apply(method, own, values)
        },
      })
    },
    apply(target, self, values) {
      use.refuseAfterEnd()
      return Reflect.apply(target as Callable, self, values)
    },
  })
  return transaction
}

function nest(method: Callable, self: unknown, values: readonly unknown[], use: HandlerUse): unknown {
  if (!values.some(isCallable)) return Reflect.apply(method, self, values)
  const work =
    (each: Callable) =>
    (...[nested, ...others]: readonly unknown[]) =>
      each(guarded(nested, use), ...others)
  const result = Reflect.apply(
    method,
    self,
    values.map((value) => (isCallable(value) ? work(value) : value)),
  )
  if (isPromise(result)) use.addNested(result)
  return result
}

type Callable = (...values: readonly unknown[]) => unknown

function isCallable(value: unknown): value is Callable {
  return typeof value === 'function'
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

/** A proxy must return the value of such a property unchanged. */
function isFixed(target: object, key: PropertyKey): boolean {
  const own = Reflect.getOwnPropertyDescriptor(target, key)
  return own !== undefined && own.configurable === false && own.writable === false
}

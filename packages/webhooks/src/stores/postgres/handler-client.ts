import { TransactionEndedError } from '../../interfaces/transaction-store.ts'
import {
  type Callback,
  callbackIn,
  isClosed,
  isPromise,
  isSubmittable,
  type Submittable,
  textOf,
} from './query-arguments.ts'
import { limited, nextTurn } from './transaction-opener.ts'
import { transactionStatementIn } from './transaction-statements.ts'

/** The methods of a client of `pg` that its stand-in calls. */
interface Client {
  query(...given: never): unknown
  on?(event: string, listener: () => void): unknown
  once?(event: string, listener: () => void): unknown
  off?(event: string, listener: () => void): unknown
}

/** Why a statement is refused. */
type HandlerEnd = 'ended' | 'given-up'

/** What a handler gets in place of the client of the pool, and what it has done with it. */
export interface HandlerClient<Given> {
  /** Has everything of the client, but refuses what would end the transaction, and every statement after the handler has ended. */
  readonly client: Given
  /** Whether a cursor or a stream of rows is open, so that the connection does not answer to anything else. */
  readonly isStreaming: boolean
  /** The handler has ended, or the receiver no longer waits for it: refuses all later statements. */
  end(why: HandlerEnd): void
  /**
   * Checks, when the handler has returned, that its work is complete. Waits for cursors and streams that the handler has closed.
   *
   * @throws TransactionEndedError if a statement is still running, comes in this turn, or would have ended the transaction
   */
  complete(): Promise<void>
}

/** Makes the stand-in for a client, for one event. */
export function handlerClient<Given extends Client>(client: Given): HandlerClient<Given> {
  const transaction = new EventTransaction(client)
  return {
    // The stand-in has every property of the client.
    client: new Proxy(transaction, standInFor(client)) as unknown as Given,
    get isStreaming() {
      return transaction[STATE].isStreaming
    },
    end: (why) => transaction[STATE].end(why),
    complete: () => transaction[STATE].complete(),
  }
}

const STATE = Symbol('the statements of a handler')

/** What a handler has in place of the same methods of the client. Libraries take an object for a pool if the name of its class contains "Pool". */
class EventTransaction {
  readonly [STATE]: HandlerStatements

  constructor(client: Client) {
    this[STATE] = new HandlerStatements(client)
  }

  get query() {
    return (...given: readonly unknown[]) => this[STATE].send(given)
  }

  get release() {
    return () => refuse('release() was', 'The receiver releases the client when it has committed')
  }

  get connect() {
    return () => refuse('connect() was', 'The client is connected')
  }

  get end() {
    return () => refuse('end() was', 'The receiver releases the client when it has committed')
  }
}

function refuse(what: string, why: string): never {
  throw new TransactionEndedError(
    `${what} called on the transaction of an event, which the receiver begins, commits and releases. ${why}: remove the call from the handler.`,
  )
}

const LISTEN: ReadonlySet<unknown> = new Set(['on', 'addListener', 'once', 'prependListener', 'prependOnceListener'])

function standInFor(client: Client): ProxyHandler<EventTransaction> {
  return {
    get(own, key, standIn) {
      if (key in own) return Reflect.get(own, key, own)
      const value: unknown = Reflect.get(client, key, client)
      if (typeof value !== 'function') return value
      return (...given: readonly unknown[]) => {
        if (LISTEN.has(key)) own[STATE].listened.push(given as Listened)
        const result: unknown = Reflect.apply(value, client, given)
        return result === client ? standIn : result
      }
    },
    has: (own, key) => key in own || key in client,
  }
}

type Listened = readonly [event: string, listener: () => void]

/** The statements of one handler. */
class HandlerStatements {
  /** The listeners that the handler has added. The client is used for other events afterwards. */
  readonly listened: Listened[] = []
  readonly #client: Client
  readonly #running = new Set<symbol>()
  readonly #streams = new Set<Submittable>()
  #refused: TransactionEndedError | undefined
  #end: HandlerEnd | undefined

  constructor(client: Client) {
    this.#client = client
  }

  get isStreaming(): boolean {
    return this.#streams.size > 0
  }

  /** Sends a statement in one of the ways of `pg`: with a promise, with a callback, or as an object that submits itself. */
  send(given: readonly unknown[]): unknown {
    const error = this.#refusal(given[0])
    if (isSubmittable(given[0])) {
      if (error !== undefined) throw error
      return this.#stream(given[0], given)
    }
    const { callback, withCallback } = callbackIn(given)
    if (callback !== undefined) {
      if (error !== undefined) queueMicrotask(() => callback(error))
      else this.#apply(withCallback(this.#ending(callback)))
      return undefined
    }
    return error === undefined ? this.#watch(this.#apply(given)) : Promise.reject(error)
  }

  end(why: HandlerEnd): void {
    this.#end ??= why
    for (const [event, listener] of this.listened.splice(0)) this.#client.off?.(event, listener)
  }

  async complete(): Promise<void> {
    this.#requireComplete()
    if (this.isStreaming) {
      await limited(new Promise<void>((resolve) => this.#client.once?.('drain', resolve)), 'close a cursor')
    }
    await nextTurn()
    this.#requireComplete()
  }

  #requireComplete(): void {
    if (this.#refused !== undefined) throw this.#refused
    const isRunning = this.#running.size > 0 || ![...this.#streams].every(isClosed)
    if (isRunning) throw new TransactionEndedError(STILL_RUNNING)
  }

  #refusal(statement: unknown): TransactionEndedError | undefined {
    if (this.#end === 'given-up') return new TransactionEndedError(GIVEN_UP)
    if (this.#end === 'ended') {
      this.#refused ??= new TransactionEndedError(TOO_LATE)
      return this.#refused
    }
    const found = transactionStatementIn(textOf(statement))
    if (found === undefined) return undefined
    this.#refused ??= new TransactionEndedError(
      `${found} was not sent, because the receiver begins and ends the transaction of an event. Remove the statement from the handler; ` +
        'to undo a part of the work, use SAVEPOINT and ROLLBACK TO SAVEPOINT. The event will be retried.',
    )
    return this.#refused
  }

  #apply(given: readonly unknown[]): unknown {
    return Reflect.apply(this.#client.query, this.#client, given)
  }

  #watch(result: unknown): unknown {
    if (!isPromise(result)) return result
    const ended = this.#begin()
    // If the handler does not await it, the event fails, so that its error need not end the process.
    result.then(ended, ended)
    return result
  }

  #ending(callback: Callback): Callback {
    const ended = this.#begin()
    return (...results) => {
      ended()
      callback(...results)
    }
  }

  /** @returns what to call, once or more often, when the statement has ended */
  #begin(): () => void {
    const statement = Symbol('a statement')
    this.#running.add(statement)
    return () => {
      this.#running.delete(statement)
    }
  }

  /** A cursor, a stream or a `Query` ends when the client has nothing more to do, which it tells with an event. */
  #stream(stream: Submittable, given: readonly unknown[]): unknown {
    if (this.#client.on === undefined) return this.#apply(given)
    const drained = () => {
      this.#streams.clear()
      this.#client.off?.('drain', drained)
    }
    if (!this.isStreaming) this.#client.on('drain', drained)
    this.#streams.add(stream)
    return this.#apply(given)
  }
}

/** The message if the handler has returned too early. */
export const STILL_RUNNING =
  'a statement, a cursor or a nested transaction of the handler was still running when the handler returned: an await or a return is missing before it, or the cursor was ' +
  'not closed. Wait for every statement. The event was rolled back and will be retried.'

/** The message of a statement after the end of its handler. */
export const TOO_LATE =
  'a statement came after the handler had ended, and was not sent, because it would have run outside of its transaction. An await is missing: ' +
  'the handler must wait for every statement, and for every function that sends one.'

const GIVEN_UP =
  'the receiver no longer waits for this handler, because it took longer than handlerTimeoutMs or the receiver is closing: its transaction was ' +
  'rolled back, and the statement was not sent. Stop when context.signal is aborted. If the handler had already returned, an await is missing.'

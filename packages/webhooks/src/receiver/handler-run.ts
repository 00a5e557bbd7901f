import { type Clock, NotewireError, OptionError, type WebhookEvent } from '@notewire/protocol'
import type { Claim, CommitResult, ReceiverStore } from '../stores/store.ts'
import { type AttemptHeaders, readHeaders } from '../verifier/signature-headers.ts'
import type { BoundHandler, HandlerContext } from './handlers.ts'
import { keepLease } from './lease.ts'
import { type Logger, withFields } from './logger.ts'
import type { ProcessTiming } from './outcome.ts'
import type { Stop } from './stop.ts'

/** What is known of the attempt that brought an event, where one did. */
export interface Circumstances {
  readonly deadlineAt?: number | undefined
  readonly headers?: AttemptHeaders | undefined
}

/** An event on its way through a receiver. */
export interface ArrivedEvent {
  readonly event: WebhookEvent
  readonly stop: Stop
  readonly circumstances: Circumstances
  readonly timing: { -readonly [Part in keyof ProcessTiming]: ProcessTiming[Part] }
}

/** An event that this worker alone may process now. */
export interface HeldEvent extends ArrivedEvent {
  readonly claim: Claim
  /** When the claim was asked for: its lease began no later. */
  readonly askedAt: number
}

/** How a handler ended. */
export type HandlerEnd =
  | { readonly status: 'returned' }
  /** It returned, and had marked the event in a transaction of its own. */
  | { readonly status: 'returned-marked' }
  | { readonly status: 'threw'; readonly error: unknown }
  | { readonly status: 'lost' }

interface Tools<Transaction> {
  readonly store: ReceiverStore<Transaction>
  readonly clock: Clock
  readonly logger: Logger
}

/** Runs a handler under its claim, which is renewed meanwhile. */
export async function runHandler<Transaction>(
  handler: BoundHandler<Transaction>,
  held: HeldEvent,
  tools: Tools<Transaction>,
): Promise<HandlerEnd> {
  const run = new HandlerRun(held, tools)
  const began = tools.clock.now()
  try {
    const work = handler(contextOf(held, tools.logger, (transaction) => run.commitIn(transaction)))
    if (isThenable(work)) {
      run.keepLease()
      await work
    }
    return run.marked ? { status: 'returned-marked' } : { status: 'returned' }
  } catch (error) {
    return run.lost ? { status: 'lost' } : { status: 'threw', error }
  } finally {
    run.endLease()
    held.timing.handlerMs = tools.clock.now() - began
  }
}

/** One run of a handler: its lease, and the mark that it may set in a transaction of its own. */
class HandlerRun<Transaction> {
  readonly #held: HeldEvent
  readonly #tools: Tools<Transaction>
  #endLease: (() => void) | undefined
  #marked = false
  #lost = false

  constructor(held: HeldEvent, tools: Tools<Transaction>) {
    this.#held = held
    this.#tools = tools
  }

  /** Whether the handler has marked the event in a transaction of its own. */
  get marked(): boolean {
    return this.#marked
  }

  /** Whether another worker has taken the event over. */
  get lost(): boolean {
    return this.#lost
  }

  commitIn(transaction: Transaction): Promise<void> {
    this.#marked = true
    // From here on the transaction holds the claim, and a renewal would only wait for it.
    this.endLease()
    const result = commitIn(this.#tools.store, transaction, this.#held.claim)
    if (typeof result !== 'string') return result.then((settled) => this.#conclude(settled))
    this.#conclude(result)
    return Promise.resolve()
  }

  keepLease(): void {
    const { claim, askedAt, stop } = this.#held
    if (this.#marked) return
    this.#endLease = keepLease(this.#tools, claim, askedAt, () => {
      this.#lost = true
      stop.order('another worker has taken the event over')
    })
  }

  endLease(): void {
    this.#endLease?.()
  }

  #conclude(result: CommitResult): void {
    if (result === 'committed') return
    this.#lost = true
    throw new ClaimLostError()
  }
}

// What few handlers ask for is made when they do.
function contextOf<Transaction>(
  { event, stop, circumstances }: HeldEvent,
  logger: Logger,
  commit: (transaction: Transaction) => Promise<void>,
): HandlerContext<Transaction> {
  let headers: Headers | undefined
  return {
    commit,
    deadlineAt: circumstances.deadlineAt,
    get signal() {
      return stop.signal
    },
    get headers() {
      headers ??= readHeaders(circumstances.headers ?? {})
      return headers
    },
    get logger() {
      return withFields(logger, { event_id: event.event_id, event_type: event.event_type })
    },
  }
}

function commitIn<Transaction>(
  store: ReceiverStore<Transaction>,
  transaction: Transaction,
  claim: Claim,
): CommitResult | Promise<CommitResult> {
  if (store.commitIn === undefined) {
    throw new OptionError(
      'store',
      'context.commit needs a store with transactions, and this one has none. Use sqliteStore or postgresStore, or leave the call out.',
    )
  }
  return store.commitIn(transaction, claim)
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value
}

/** Another worker has taken the event over: what this one did must not count, and its transaction is to be rolled back. */
export class ClaimLostError extends NotewireError<'claim_lost'> {
  constructor() {
    super(
      'claim_lost',
      'another worker has taken the event over, because this one held its claim for longer than it could renew it. ' +
        'Let the error roll the transaction back; the other worker applies the event.',
    )
  }
}

/** The handler called `context.commit` in a transaction that did not commit. */
export class TransactionNotCommittedError extends NotewireError<'transaction_not_committed'> {
  constructor() {
    super(
      'transaction_not_committed',
      'the handler returned after context.commit, but its transaction was rolled back or is still open. Commit it ' +
        'before the handler returns, and let its errors leave the handler; the event will come again.',
    )
  }
}

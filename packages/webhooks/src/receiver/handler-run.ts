import { type Clock, monotonicNow, NotewireError, OptionError, type WebhookEvent } from '@notewire/protocol'
import type { Claim, CommitResult, ReceiverStore } from '../interfaces/store.ts'
import { type AttemptHeaders, readHeaders } from '../verifier/signature-headers.ts'
import { setAlarm } from './alarm.ts'
import type { BoundHandler, HandlerContext } from './handlers.ts'
import { keepLease } from './lease.ts'
import { fieldsOf, type Logger, withFields } from './logger.ts'
import type { ProcessTiming } from './outcome.ts'
import type { Stop } from './stop.ts'

/** Whose event it is, and what is known of the attempt that brought it, where one did. */
export interface Circumstances {
  readonly integration: string
  /** How long the handler may take, where that is not the processor's `handlerTimeoutMs`. */
  readonly handlerTimeoutMs?: number | undefined
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
  /** When the claim was asked for, by `monotonicNow`: its lease began no later. */
  readonly askedAt: number
}

/** How a handler ended. */
type HandlerEnd =
  | { readonly status: 'returned' }
  | { readonly status: 'threw'; readonly error: unknown }
  /** Another worker has taken the event over, whatever the handler did then. */
  | { readonly status: 'lost' }
  /** It had not ended when the receiver stopped waiting for it, and may still be running. */
  | { readonly status: 'given-up'; readonly why: GivenUpBecause }

/** A handler's end, and whether it called `context.commit` before. */
export type RunEnd = HandlerEnd & { readonly marked: boolean }

/** Why the receiver waits for a handler no longer. */
type GivenUpBecause = 'handler-timeout' | 'closing'

/** A handler that has been called, has returned a promise, and has not ended. */
export interface RunningHandler {
  /** Resolves when the handler has returned or thrown, however late. */
  readonly ended: Promise<unknown>
  /** Stops waiting for the handler, whose claim is then given up. */
  giveUp(why: GivenUpBecause): void
}

interface Tools<Transaction> {
  readonly store: ReceiverStore<Transaction>
  readonly clock: Clock
  readonly logger: Logger
  /** Holds each handler until it ends. */
  readonly runningHandlers: Set<RunningHandler>
  /** Told once of each handler that ends after it was given up. Never throws. */
  readonly tellLateEnd: (event: WebhookEvent, end: Settlement, integration: string) => void
}

/** How a promise that a handler returned was settled. */
export type Settlement = Extract<HandlerEnd, { readonly status: 'returned' | 'threw' }>

/**
 * Runs a handler under its claim, which is renewed meanwhile.
 *
 * @param timeoutMs  how long the handler may take before it is given up
 */
export async function runHandler<Transaction>(
  handler: BoundHandler<Transaction>,
  held: HeldEvent,
  timeoutMs: number,
  tools: Tools<Transaction>,
): Promise<RunEnd> {
  const run = new HandlerRun(held, tools)
  const began = monotonicNow(tools.clock)
  const end = await run.call(handler, timeoutMs)
  run.endLease()
  held.timing.handlerMs = monotonicNow(tools.clock) - began
  return { ...end, marked: run.marked }
}

/** One run of a handler: its lease, its timeout, and the mark that it may set in a transaction of its own. */
class HandlerRun<Transaction> {
  readonly #held: HeldEvent
  readonly #tools: Tools<Transaction>
  #endLease: (() => void) | undefined
  #marked = false
  #lost = false
  #givenUp = false

  constructor(held: HeldEvent, tools: Tools<Transaction>) {
    this.#held = held
    this.#tools = tools
  }

  /** Whether the handler has marked the event in a transaction of its own. */
  get marked(): boolean {
    return this.#marked
  }

  async call(handler: BoundHandler<Transaction>, timeoutMs: number): Promise<HandlerEnd> {
    let end: HandlerEnd
    try {
      const work = handler(contextOf(this.#held, this.#tools.logger, (transaction) => this.commitIn(transaction)))
      end = isThenable(work) ? await this.#waitFor(settlementOf(work), timeoutMs) : { status: 'returned' }
    } catch (error) {
      end = { status: 'threw', error }
    }
    return this.#lost && end.status !== 'returned' ? { status: 'lost' } : end
  }

  #waitFor(ended: Promise<Settlement>, timeoutMs: number): Promise<HandlerEnd> {
    const { event, stop, circumstances } = this.#held
    const { clock, runningHandlers, tellLateEnd } = this.#tools
    this.#keepLease()
    return new Promise((resolve) => {
      const cancelTimeout = setAlarm(clock, timeoutMs, () => {
        stop.order(`the handler took longer than handlerTimeoutMs (${timeoutMs} ms)`)
        giveUp('handler-timeout')
      })
      const giveUp = (why: GivenUpBecause) => {
        this.#givenUp = true
        // A timer that is left would keep a process alive that has closed its receiver.
        cancelTimeout()
        resolve({ status: 'given-up', why })
      }
      const running = { ended, giveUp }
      runningHandlers.add(running)
      void ended.then((end) => {
        runningHandlers.delete(running)
        cancelTimeout()
        if (this.#givenUp) tellLateEnd(event, end, circumstances.integration)
        resolve(end)
      })
    })
  }

  commitIn(transaction: Transaction): Promise<void> {
    if (this.#givenUp) throw new ClaimLostError()
    this.#marked = true
    // From here on the transaction holds the claim, and a renewal would only wait for it.
    this.endLease()
    const result = commitIn(this.#tools.store, transaction, this.#held.claim)
    if (typeof result !== 'string') return result.then((settled) => this.#conclude(settled))
    this.#conclude(result)
    return Promise.resolve()
  }

  endLease(): void {
    this.#endLease?.()
  }

  #keepLease(): void {
    const { claim, askedAt, stop } = this.#held
    if (this.#marked) return
    this.#endLease = keepLease(this.#tools, claim, askedAt, () => {
      this.#lost = true
      stop.order('another worker has claimed the event')
    })
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
    integration: circumstances.integration,
    deadlineAt: circumstances.deadlineAt,
    get signal() {
      return stop.signal
    },
    get headers() {
      headers ??= readHeaders(circumstances.headers ?? {})
      return headers
    },
    get logger() {
      return withFields(logger, fieldsOf(event, circumstances.integration))
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
      'context.commit needs a store with transactions, and this store has none. Use sqliteStore or postgresStore, or do not call context.commit.',
    )
  }
  return store.commitIn(transaction, claim)
}

/** Never rejects. */
async function settlementOf(work: PromiseLike<unknown>): Promise<Settlement> {
  try {
    await work
    return { status: 'returned' }
  } catch (error) {
    return { status: 'threw', error }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value
}

/**
 * The handler no longer holds its claim: another worker has taken the event over, or the receiver gave the claim up because
 * of `handlerTimeoutMs` or while it closed. What this handler did must not count: roll its transaction back.
 */
export class ClaimLostError extends NotewireError<'claim_lost'> {
  constructor() {
    super(
      'claim_lost',
      'this handler no longer holds its claim: its lease expired and another worker claimed the event, or the ' +
        'receiver released the claim after handlerTimeoutMs or while closing. Let this error roll back the transaction; ' +
        'another attempt will process the event.',
    )
  }
}

/** The handler called `context.commit` in a transaction that did not commit. */
export class TransactionNotCommittedError extends NotewireError<'transaction_not_committed'> {
  constructor() {
    super(
      'transaction_not_committed',
      'the handler returned after context.commit, but its transaction was rolled back or is still open. Commit the ' +
        'transaction before the handler returns, and do not catch its errors in the handler. The event will be retried.',
    )
  }
}

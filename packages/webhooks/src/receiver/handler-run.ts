import { type Clock, monotonicNow, OptionError, refuseResponse, type WebhookEvent } from '@notewire/protocol'
import type { Claim, CommitResult, ReceiverStore } from '../interfaces/store.ts'
import { type AttemptHeaders, readHeaders } from '../verifier/signature-headers.ts'
import { ClaimLostError, type EventHandler, type HandlerContext } from './handlers.ts'
import { LazyAbort } from './lazy-abort.ts'
import { keepLease } from './lease.ts'
import { fieldsOf, type Logger, withFields } from './logger.ts'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'
import { setTimer } from './timers.ts'
import { isThenable, whenSettled } from './when-settled.ts'

/** The facts about the attempt that delivered an event, and the time limit of its handler. */
export interface AttemptContext {
  readonly integration: string
  /** How long the handler may take, if it is not the processor's `handlerTimeoutMs`. */
  readonly handlerTimeoutMs?: number | undefined
  readonly deadlineAt?: number | undefined
  readonly headers?: AttemptHeaders | undefined
}

/** An event that is being processed. */
export class ReceivedEvent {
  readonly event: WebhookEvent
  readonly attempt: AttemptContext
  readonly abort = new LazyAbort()
  readonly timing: { -readonly [Part in keyof ProcessTiming]: ProcessTiming[Part] } = {
    waitedMs: 0,
    handlerMs: undefined,
  }

  outcome: ProcessOutcome | Promise<ProcessOutcome> | undefined

  constructor(event: WebhookEvent, attempt: AttemptContext) {
    this.event = event
    this.attempt = attempt
  }
}

/** Whether a handler returned or threw. */
export type HandlerResult = { readonly status: 'returned' } | { readonly status: 'threw'; readonly error: unknown }

/** How a handler's run ended for the receiver. */
export type HandlerEnd =
  | HandlerResult
  /** The claim was lost, and the handler did not return: it threw, or the receiver stopped waiting for it. */
  | { readonly status: 'lost' }
  /** The receiver stopped waiting for the handler, which may still be running. */
  | { readonly status: 'given-up'; readonly why: GivenUpBecause }

/** Why the receiver stopped waiting for a handler. */
type GivenUpBecause = 'handler-timeout' | 'closing'

/** A handler whose promise is pending. */
export interface RunningHandler {
  /** Resolves when the handler has returned or thrown, even after the receiver stopped waiting for it. */
  readonly ended: Promise<unknown>
  /** Stops waiting for the handler; the caller then releases the claim. */
  giveUp(why: GivenUpBecause): void
}

interface Tools<Transaction> {
  readonly store: ReceiverStore<Transaction>
  readonly clock: Clock
  readonly logger: Logger
  readonly handlerTimeoutMs: number
  /** Contains each handler until it ends. */
  readonly runningHandlers: Set<RunningHandler>
  /** Called once for each handler that ends after it was given up. Never throws. */
  readonly reportLateEnd: (event: WebhookEvent, end: HandlerResult, integration: string) => void
}

const RETURNED: HandlerResult = { status: 'returned' }

/** One run of a handler: its lease, its time limit, and its `context.commit`. */
export class HandlerRun<Transaction> {
  readonly received: ReceivedEvent
  #claim: Claim
  readonly #claimedAt: number
  readonly #tools: Tools<Transaction>
  #beganAt = 0
  #endLease: (() => void) | undefined
  #isCommitted = false
  #isLost = false
  #isGivenUp = false

  /** @param claimedAt  `monotonicNow` before the claim was requested: a lower bound for the start of the lease */
  constructor(received: ReceivedEvent, claim: Claim, claimedAt: number, tools: Tools<Transaction>) {
    this.received = received
    this.#claim = claim
    this.#claimedAt = claimedAt
    this.#tools = tools
  }

  /** The claim, with the revision to commit. */
  get claim(): Claim {
    return this.#claim
  }

  /** Whether the handler has called `context.commit`. */
  get isCommitted(): boolean {
    return this.#isCommitted
  }

  /** Calls the handler, and renews the lease until it ends. The result is a promise if the handler returns one. */
  call(handler: EventHandler<WebhookEvent, Transaction>): HandlerEnd | Promise<HandlerEnd> {
    this.#beganAt = monotonicNow(this.#tools.clock)
    try {
      const work = handler(this.received.event, this.#context())
      if (isThenable(work)) return this.#waitFor(work)
      refuseResponse(work)
      return this.#conclude(RETURNED)
    } catch (error) {
      return this.#conclude({ status: 'threw', error })
    }
  }

  #conclude(end: HandlerEnd): HandlerEnd {
    this.#endLease?.()
    this.received.timing.handlerMs = monotonicNow(this.#tools.clock) - this.#beganAt
    return this.#isLost && end.status !== 'returned' ? { status: 'lost' } : end
  }

  #waitFor(work: PromiseLike<unknown>): Promise<HandlerEnd> {
    const { event, abort, attempt } = this.received
    const { clock, runningHandlers, reportLateEnd } = this.#tools
    const timeoutMs = attempt.handlerTimeoutMs ?? this.#tools.handlerTimeoutMs
    this.#keepLease()
    return new Promise((resolve) => {
      const cancelTimeout = setTimer(clock, timeoutMs, () => {
        abort.abort(`the handler took longer than handlerTimeoutMs (${timeoutMs} ms)`)
        giveUp('handler-timeout')
      })
      const giveUp = (why: GivenUpBecause) => {
        if (this.#isGivenUp) return
        this.#isGivenUp = true
        // A pending timer would keep a process alive after it has closed its receiver.
        cancelTimeout()
        resolve(this.#conclude({ status: 'given-up', why }))
      }
      const end = (result: HandlerResult) => {
        runningHandlers.delete(running)
        cancelTimeout()
        if (this.#isGivenUp) reportLateEnd(event, result, attempt.integration)
        else resolve(this.#conclude(result))
      }
      const ended = Promise.resolve(work)
        .then(refuseResponse)
        .then(
          () => end(RETURNED),
          (error) => end({ status: 'threw', error }),
        )
      const running = { ended, giveUp }
      runningHandlers.add(running)
    })
  }

  #keepLease(): void {
    if (this.#isCommitted) return
    this.#endLease = keepLease(this.#tools, this.#claim, this.#claimedAt, () => {
      this.#isLost = true
      this.received.abort.abort('the claim was lost: another worker holds it, or its lease expired')
    })
  }

  // Most handlers read neither the headers nor the logger, so each is created when it is read.
  #context(): HandlerContext<Transaction> {
    const { event, abort, attempt } = this.received
    const { logger } = this.#tools
    let headers: Headers | undefined
    return {
      commit: (transaction) => this.#commitIn(transaction),
      applied: this.#claim.applied,
      setAppliedRevision: (revision) => this.#setAppliedRevision(revision),
      integration: attempt.integration,
      deadlineAt: attempt.deadlineAt,
      get signal() {
        return abort.signal
      },
      get headers() {
        headers ??= readHeaders(attempt.headers ?? {})
        return headers
      },
      get logger() {
        return withFields(logger, fieldsOf(event, attempt.integration))
      },
    }
  }

  #setAppliedRevision(revision: number): void {
    if (!Number.isSafeInteger(revision) || revision < 0) {
      throw new OptionError(
        'revision',
        'setAppliedRevision takes the revision of the note that was fetched: a whole number from 0.',
      )
    }
    const { request } = this.#claim
    const { note } = request
    if (note?.change === undefined) return
    const changed = { ...note, change: { ...note.change, revision } }
    this.#claim = { ...this.#claim, request: { ...request, note: changed } }
  }

  #commitIn(transaction: Transaction): Promise<void> {
    if (this.#isGivenUp) throw new ClaimLostError()
    this.#isCommitted = true
    // Until it ends, the transaction locks the claim, and a renewal would only wait for that lock.
    this.#endLease?.()
    const result = commitIn(this.#tools.store, transaction, this.#claim)
    return Promise.resolve(whenSettled(result, (settled) => this.#refuseLost(settled)))
  }

  #refuseLost(result: CommitResult): void {
    if (result === 'committed') return
    this.#isLost = true
    throw new ClaimLostError()
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

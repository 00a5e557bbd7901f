import { type Clock, monotonicNow, OptionError, refuseResponse, type WebhookEvent } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { Claim, CommitResult, ReceiverStore } from '../interfaces/store.ts'
import { withRevision } from './claim-request.ts'
import { ClaimLostError, type EventHandler, type HandlerContext, type Prepare } from './handlers.ts'
import { keepLease } from './lease.ts'
import type { GivenUpBecause, HandlerResult, ReceivedEvent } from './received-event.ts'
import { setTimer } from './timers.ts'
import { isThenable, whenSettled } from './when-settled.ts'

/** How a handler's run ended for the receiver. */
export type HandlerEnd =
  | HandlerResult
  /** The claim was lost, and the handler did not return: it threw, or the receiver stopped waiting for it. */
  | { readonly status: 'lost' }
  /** The receiver stopped waiting for the handler, which may still be running. */
  | { readonly status: 'given-up'; readonly why: GivenUpBecause }

/** A handler whose promise is pending. */
export interface RunningHandler {
  /** Resolves when the handler has returned or thrown, even after the receiver stopped waiting for it. */
  readonly ended: Promise<unknown>
  /** Stops waiting for the handler; the caller then releases the claim. */
  giveUp(why: GivenUpBecause): void
}

interface Tools<Transaction> {
  readonly prepare?: Prepare | undefined
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
  call(handler: EventHandler<WebhookEvent, HandlerContext<Transaction>>): HandlerEnd | Promise<HandlerEnd> {
    this.#beganAt = monotonicNow(this.#tools.clock)
    const { prepare } = this.#tools
    try {
      const work =
        prepare === undefined
          ? handler(this.received.event, this.#context(undefined))
          : this.#prepareAndCall(prepare, handler)
      if (isThenable(work)) return this.#waitFor(work)
      refuseResponse(work)
      return this.#conclude(RETURNED)
    } catch (error) {
      return this.#conclude({ status: 'threw', error })
    }
  }

  async #prepareAndCall(
    prepare: Prepare,
    handler: EventHandler<WebhookEvent, HandlerContext<Transaction>>,
  ): Promise<unknown> {
    const { event } = this.received
    const prepared = await prepare(event, this.received.context(this.#claim.applied, this.#tools.logger))
    if (this.#isGivenUp || this.#isLost) throw new ClaimLostError()
    return await handler(event, this.#context(prepared))
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

  #context(prepared: unknown): HandlerContext<Transaction> {
    return Object.assign(this.received.context(this.#claim.applied, this.#tools.logger), {
      prepared,
      commit: (transaction: Transaction) => this.#commitIn(transaction),
      setAppliedRevision: (revision: number) => {
        this.#claim = { ...this.#claim, request: withRevision(this.#claim.request, revision) }
      },
    })
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

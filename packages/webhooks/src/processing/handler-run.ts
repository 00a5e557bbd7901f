import { type Clock, monotonicNow, OptionError, refuseResponse, type WebhookEvent } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { Claim, CommitResult, ReceiverStore } from '../interfaces/store.ts'
import { Alarm } from './alarm.ts'
import { withRevision } from './claim-request.ts'
import { ClaimLostError, type EventHandler, type HandlerContext, type Prepare } from './handlers.ts'
import { keepLease } from './lease.ts'
import type { GivenUpBecause, HandlerResult, ReceivedEvent } from './received-event.ts'

/** How a handler's run ended for the receiver. */
export type HandlerEnd =
  | HandlerResult
  /** The claim was lost, and the handler did not return: it threw, or the receiver stopped waiting for it. */
  | { readonly status: 'lost' }
  /** The receiver stopped waiting for the handler, which may still be running. */
  | { readonly status: 'given-up'; readonly why: GivenUpBecause }

interface Tools<Transaction> {
  readonly prepare?: Prepare | undefined
  readonly store: ReceiverStore<Transaction>
  readonly clock: Clock
  readonly logger: Logger
  readonly handlerTimeoutMs: number
  /** Contains each handler until it ends, even after the receiver stopped waiting for it. */
  readonly running: Map<HandlerRun<Transaction>, Promise<unknown>>
  /** Called once for each handler that ends after it was given up. Never throws. */
  readonly reportLateEnd: (event: WebhookEvent, end: HandlerResult, integration: string) => void
}

type Handler<Transaction> = EventHandler<WebhookEvent, HandlerContext<Transaction>>

const RETURNED: HandlerResult = { status: 'returned' }

/** One run of a handler: its lease, its time limit, and its `context.commit`. */
export class HandlerRun<Transaction> {
  readonly received: ReceivedEvent
  #claim: Claim
  readonly #claimedAt: number
  readonly #tools: Tools<Transaction>
  #endLease: (() => void) | undefined
  #isCommitted = false
  #isLost = false
  #givenUp: GivenUpBecause | undefined
  #stopWaiting: (() => void) | undefined

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

  /** Calls the handler, and renews the lease until it ends. Never rejects. */
  async call(handler: Handler<Transaction>): Promise<HandlerEnd> {
    const { clock } = this.#tools
    const beganAt = monotonicNow(clock)
    const end = await this.#endOf(handler)
    this.#endLease?.()
    this.received.timing.handlerMs = monotonicNow(clock) - beganAt
    return this.#isLost && end.status !== 'returned' ? { status: 'lost' } : end
  }

  /** Stops waiting for the handler; the caller of `call` then releases the claim. */
  giveUp(why: GivenUpBecause): void {
    this.#givenUp ??= why
    this.#stopWaiting?.()
  }

  async #endOf(handler: Handler<Transaction>): Promise<HandlerEnd> {
    const { prepare } = this.#tools
    try {
      const work =
        prepare === undefined
          ? handler(this.received.event, this.#context(undefined))
          : this.#prepareAndCall(prepare, handler)
      // A synchronous handler has ended: it needs no lease and no timer.
      return work === undefined ? RETURNED : await this.#waitFor(work)
    } catch (error) {
      return { status: 'threw', error }
    }
  }

  async #prepareAndCall(prepare: Prepare, handler: Handler<Transaction>): Promise<unknown> {
    const { event } = this.received
    const prepared = await prepare(event, this.received.context(this.#claim.applied, this.#tools.logger))
    if (this.#givenUp !== undefined || this.#isLost) throw new ClaimLostError()
    return await handler(event, this.#context(prepared))
  }

  async #waitFor(work: unknown): Promise<HandlerEnd> {
    const { running } = this.#tools
    const ended = this.#ended(work)
    running.set(this, ended)
    const givenUp = new Promise<void>((resolve) => {
      this.#stopWaiting = resolve
    })
    const endTimers = this.#startTimers()
    const end = await Promise.race([ended, givenUp])
    endTimers()
    return end ?? { status: 'given-up', why: this.#givenUp ?? 'closing' }
  }

  async #ended(work: unknown): Promise<HandlerResult> {
    const { event, attempt } = this.received
    const end = await resultOf(work)
    this.#tools.running.delete(this)
    if (this.#givenUp !== undefined) this.#tools.reportLateEnd(event, end, attempt.integration)
    return end
  }

  /** @returns ends the time limit */
  #startTimers(): () => void {
    const { clock, handlerTimeoutMs, store } = this.#tools
    const { abort, attempt } = this.received
    const alarm = attempt.alarm ?? new Alarm(clock)
    const timeoutMs = attempt.handlerTimeoutMs ?? handlerTimeoutMs
    const timeOut = () => {
      abort.abort(`the handler took longer than handlerTimeoutMs (${timeoutMs} ms)`)
      this.giveUp('handler-timeout')
    }
    if (!this.#isCommitted) {
      this.#endLease = keepLease({ store, clock, alarm }, this.#claim, this.#claimedAt, () => {
        this.#isLost = true
        abort.abort('the claim was lost: another worker holds it, or its lease expired')
      })
    }
    alarm.set(timeOut, monotonicNow(clock) + timeoutMs)
    return () => alarm.clear(timeOut)
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

  /** Throws at once if the driver is synchronous, so that the handler's transaction is rolled back. */
  #commitIn(transaction: Transaction): Promise<void> {
    if (this.#givenUp !== undefined) throw new ClaimLostError()
    this.#isCommitted = true
    // Until it ends, the transaction locks the claim, and a renewal would only wait for that lock.
    this.#endLease?.()
    const { store } = this.#tools
    if (store.commitIn === undefined) throw new OptionError('store', WITHOUT_TRANSACTIONS)
    const result = store.commitIn(transaction, this.#claim)
    if (typeof result === 'string') this.#refuseLost(result)
    return Promise.resolve(result).then((settled) => this.#refuseLost(settled))
  }

  #refuseLost(result: CommitResult): void {
    if (result === 'committed') return
    this.#isLost = true
    throw new ClaimLostError()
  }
}

const WITHOUT_TRANSACTIONS =
  'context.commit needs a store with transactions, and this store has none. Use sqliteStore or postgresStore, or do not call context.commit.'

async function resultOf(work: unknown): Promise<HandlerResult> {
  try {
    refuseResponse(await work)
    return RETURNED
  } catch (error) {
    return { status: 'threw', error }
  }
}

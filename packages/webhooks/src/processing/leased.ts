import { type Clock, monotonicNow, type UnknownEvent, type WebhookEvent } from '@notewire/protocol'
import type { GateMode } from '../interfaces/revision-gate.ts'
import type { Claim, ReceiverStore } from '../interfaces/store.ts'
import { claimRequestOf, LEASE_MS } from './claim-request.ts'
import type { Mode } from './desk.ts'
import { type EventRun, isPromise } from './event-run.ts'
import { type EventHandler, type EventHandlers, type HandlerContext, handlerOf, type Prepare } from './handlers.ts'
import { ClaimedEvent, Lease } from './lease.ts'
import type { ProcessOutcome } from './outcome.ts'
import { BUSY_WAIT_MS, Waiters } from './waiters.ts'

/** What a mode with handlers needs, whose handlers get this context. */
export interface HandlingOptions<Context, Store> {
  readonly on: EventHandlers<Context>
  readonly onUnknown: EventHandler<UnknownEvent, Context> | undefined
  readonly prepare: Prepare | undefined
  readonly store: Store
  readonly revisionGate: GateMode
  readonly dedupWindowMs: number
  readonly clock: Clock
}

type Handler = EventHandler<WebhookEvent, HandlerContext>

/** Applies events once and in order of revision: claim, handler, commit; or release, if the handler fails. */
export class LeasedMode implements Mode {
  readonly undoes = true
  readonly #options: HandlingOptions<HandlerContext, ReceiverStore>
  readonly #waiters: Waiters

  constructor(options: HandlingOptions<HandlerContext, ReceiverStore>) {
    this.#options = options
    this.#waiters = new Waiters(options.clock)
  }

  async run(run: EventRun): Promise<ProcessOutcome> {
    const { event, attempt, abort, timing } = run
    const { on, onUnknown, store, clock } = this.#options
    const handler = handlerOf(event, on, onUnknown)
    const request = claimRequestOf(event, attempt.integration, handler !== undefined, this.#options)
    const { released } = this.#waiters
    let requestedAt = monotonicNow(clock)
    try {
      let result = await store.claim(request)
      if (result.status === 'busy') {
        const arrivedAt = requestedAt
        const until = monotonicNow(clock) + BUSY_WAIT_MS
        const claim = async () => {
          requestedAt = monotonicNow(clock)
          return await store.claim(request)
        }
        result = await this.#waiters.retryWhileBusy({ request, abort, until, released, busy: result, attempt: claim })
        timing.waitedMs = requestedAt - arrivedAt
      }
      if (result.status !== 'claimed') return { ...result, event }
      return await this.#apply(handler, new ClaimedEvent(run, result.claim, requestedAt))
    } catch (error) {
      return { status: 'store-failed', event, error }
    } finally {
      this.#waiters.release(request)
    }
  }

  async #apply(handler: Handler | undefined, claimed: ClaimedEvent): Promise<ProcessOutcome> {
    const { run, claim } = claimed
    const { event } = run
    if (run.isClosing) return await this.#release(claim, { status: 'closing', event })
    if (handler === undefined) return await this.#commit(claim, { status: 'unhandled', event })
    // The lease may have expired while this process was suspended; another worker may have claimed the event.
    if (monotonicNow(this.#options.clock) >= claimed.claimedAt + LEASE_MS) {
      return await this.#release(claim, { status: 'claim-lost', event })
    }
    const outcome = await this.#handle(handler, claimed)
    return outcome.status === 'applied'
      ? await this.#commit(claimed.claim, outcome)
      : await this.#release(claimed.claim, outcome)
  }

  /** Calls the handler, and renews the claim until it has ended or is given up. Never rejects. */
  async #handle(handler: Handler, claimed: ClaimedEvent): Promise<ProcessOutcome> {
    const { store, clock } = this.#options
    const { run } = claimed
    const { event } = run
    let lease: Lease | undefined
    let thrown: unknown
    try {
      const work = this.#call(handler, claimed)
      if (isPromise(work)) {
        lease = new Lease(claimed, store, clock)
        await Promise.race([work, run.givenUp])
      }
    } catch (error) {
      thrown = error
    }
    lease?.end()
    run.finish()
    if (run.end?.status === 'returned') return { status: 'applied', event }
    if (claimed.isLost) return { status: 'claim-lost', event }
    return run.givenUpBecause === undefined ? run.failed(thrown) : { status: run.givenUpBecause, event }
  }

  #call(handler: Handler, claimed: ClaimedEvent): unknown {
    const { prepare } = this.#options
    const { run } = claimed
    if (prepare !== undefined) return this.#prepareAndCall(prepare, handler, claimed)
    const context = claimed.context(undefined)
    return run.call(() => handler(run.event, context))
  }

  async #prepareAndCall(prepare: Prepare, handler: Handler, claimed: ClaimedEvent): Promise<unknown> {
    const { run } = claimed
    const prepared = await run.call(() => prepare(run.event, run.context(claimed.claim.applied)))
    run.restart()
    if (claimed.isLost) throw run.abort.reason
    return await run.call(() => handler(run.event, claimed.context(prepared)))
  }

  /** @param outcome  the outcome if the commit succeeds */
  async #commit(claim: Claim, outcome: ProcessOutcome): Promise<ProcessOutcome> {
    const { event } = outcome
    try {
      const result = await this.#options.store.commit(claim)
      return result === 'lost' ? { status: 'claim-lost', event } : outcome
    } catch (error) {
      return await this.#release(claim, { status: 'store-failed', event, error })
    }
  }

  async #release(claim: Claim, outcome: ProcessOutcome): Promise<ProcessOutcome> {
    try {
      await this.#options.store.release(claim)
    } catch {
      // Ignored: the claim ends when its lease expires.
    }
    return outcome
  }
}

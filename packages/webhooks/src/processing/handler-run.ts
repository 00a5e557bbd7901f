import { type Clock, type Logger, monotonicNow, refuseResponse, type WebhookEvent } from '@notewire/protocol'
import type { ReceiverStore } from '../interfaces/store.ts'
import type { EventHandler, HandlerContext, Prepare } from './handlers.ts'
import { type ClaimedEvent, Lease } from './lease.ts'
import type { GivenUpBecause, HandlerResult, ReceivedEvent } from './received-event.ts'
import { Alarm } from './timers.ts'

/** How a handler ended for the receiver. */
export type HandlerEnd =
  | HandlerResult
  /** The claim was lost, and the handler did not return: it threw, or the receiver stopped waiting for it. */
  | { readonly status: 'lost' }
  /** The receiver stopped waiting for the handler, which may still be running. */
  | { readonly status: 'given-up'; readonly why: GivenUpBecause }

interface Tools {
  readonly prepare: Prepare | undefined
  readonly store: ReceiverStore
  readonly clock: Clock
  readonly logger: Logger
  readonly handlerTimeoutMs: number
  readonly reportLateEnd: (event: WebhookEvent, end: HandlerResult, integration: string) => void
}

type Handler = EventHandler<WebhookEvent, HandlerContext>

const RETURNED: HandlerResult = { status: 'returned' }

/** Calls handlers, and renews their leases until they end. */
export class HandlerRuns {
  /** The handlers that have not ended. Their promises resolve when they end, even after the receiver stopped waiting for them. */
  readonly running = new Map<ReceivedEvent, Promise<HandlerResult>>()
  readonly #tools: Tools

  constructor(tools: Tools) {
    this.#tools = tools
  }

  /** Calls a handler. Never rejects. */
  async run(handler: Handler, claimed: ClaimedEvent): Promise<HandlerEnd> {
    const { clock } = this.#tools
    const beganAt = monotonicNow(clock)
    let end: HandlerEnd = RETURNED
    try {
      const work = this.#call(handler, claimed)
      // A synchronous handler has ended: it needs no lease and no timer.
      if (work !== undefined) end = await this.#waitFor(work, claimed)
    } catch (error) {
      end = { status: 'threw', error }
    }
    claimed.received.timing.handlerMs = monotonicNow(clock) - beganAt
    return claimed.isLost && end.status !== 'returned' ? { status: 'lost' } : end
  }

  #call(handler: Handler, claimed: ClaimedEvent): unknown {
    const { prepare, logger } = this.#tools
    if (prepare === undefined) return handler(claimed.received.event, claimed.context(undefined, logger))
    return this.#prepareAndCall(prepare, handler, claimed)
  }

  async #prepareAndCall(prepare: Prepare, handler: Handler, claimed: ClaimedEvent): Promise<unknown> {
    const { logger } = this.#tools
    const { received } = claimed
    const prepared = await prepare(received.event, received.context(claimed.claim.applied, logger))
    if (received.givenUpBecause !== undefined || claimed.isLost) throw received.abort.reason
    return await handler(received.event, claimed.context(prepared, logger))
  }

  async #waitFor(work: unknown, claimed: ClaimedEvent): Promise<HandlerEnd> {
    const { store, clock, handlerTimeoutMs } = this.#tools
    const { received } = claimed
    const alarm = received.attempt.alarm ?? new Alarm(clock)
    const lease = new Lease(claimed, store, clock, alarm)
    const endLimit = received.limit(alarm, clock, handlerTimeoutMs, (why) => received.giveUp(why))
    const ended = this.#ended(work, received)
    this.running.set(received, ended)
    const end = await Promise.race([ended, received.givenUp])
    endLimit()
    lease.end()
    return typeof end === 'string' ? { status: 'given-up', why: end } : end
  }

  async #ended(work: unknown, received: ReceivedEvent): Promise<HandlerResult> {
    let end = RETURNED
    try {
      refuseResponse(await work)
    } catch (error) {
      end = { status: 'threw', error }
    }
    this.running.delete(received)
    const { event, attempt, givenUpBecause } = received
    if (givenUpBecause !== undefined) this.#tools.reportLateEnd(event, end, attempt.integration)
    return end
  }
}

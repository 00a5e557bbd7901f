import { type Clock, monotonicNow, refuseResponse, type WebhookEvent } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import { Alarm } from './alarm.ts'
import type { ClaimedEvent } from './claimed-event.ts'
import { ClaimLostError, type EventHandler, type HandlerContext, type Prepare } from './handlers.ts'
import { keepLease } from './lease.ts'
import type { GivenUpBecause, HandlerResult } from './received-event.ts'

/** How a handler ended for the receiver. */
export type HandlerEnd =
  | HandlerResult
  /** The claim was lost, and the handler did not return: it threw, or the receiver stopped waiting for it. */
  | { readonly status: 'lost' }
  /** The receiver stopped waiting for the handler, which may still be running. */
  | { readonly status: 'given-up'; readonly why: GivenUpBecause }

/** A handler that has not ended. */
interface RunningHandler {
  /** Resolves when the handler has ended, even after the receiver stopped waiting for it. */
  readonly ended: Promise<unknown>
  /** Stops waiting for the handler. Its claim is then released. */
  readonly giveUp: (why: GivenUpBecause) => void
}

interface Tools {
  readonly prepare?: Prepare | undefined
  readonly store: ReceiverStore<never>
  readonly clock: Clock
  readonly logger: Logger
  readonly handlerTimeoutMs: number
  readonly reportLateEnd: (event: WebhookEvent, end: HandlerResult, integration: string) => void
}

type Handler<Transaction> = EventHandler<WebhookEvent, HandlerContext<Transaction>>

const RETURNED: HandlerResult = { status: 'returned' }

/** Calls handlers, and renews their leases until they end. */
export class HandlerRuns<Transaction> {
  readonly running = new Set<RunningHandler>()
  readonly #tools: Tools

  constructor(tools: Tools) {
    this.#tools = tools
  }

  /** Calls a handler. Never rejects. */
  async run(handler: Handler<Transaction>, claimed: ClaimedEvent<Transaction>): Promise<HandlerEnd> {
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

  #call(handler: Handler<Transaction>, claimed: ClaimedEvent<Transaction>): unknown {
    const { prepare } = this.#tools
    if (prepare === undefined) return handler(claimed.received.event, claimed.context(undefined))
    return this.#prepareAndCall(prepare, handler, claimed)
  }

  async #prepareAndCall(prepare: Prepare, handler: Handler<Transaction>, claimed: ClaimedEvent<Transaction>) {
    const { event } = claimed.received
    const prepared = await prepare(event, claimed.received.context(claimed.claim.applied, this.#tools.logger))
    if (claimed.givenUp !== undefined || claimed.isLost) throw new ClaimLostError()
    return await handler(event, claimed.context(prepared))
  }

  async #waitFor(work: unknown, claimed: ClaimedEvent<Transaction>): Promise<HandlerEnd> {
    const { clock, handlerTimeoutMs } = this.#tools
    const { abort, attempt } = claimed.received
    const alarm = attempt.alarm ?? new Alarm(clock)

    const timeOut = () => {
      abort.abort(`the handler took longer than handlerTimeoutMs (${handlerTimeoutMs} ms)`)
      giveUp('handler-timeout')
    }
    let giveUp: RunningHandler['giveUp'] = () => undefined
    const givenUp = new Promise<HandlerEnd>((resolve) => {
      giveUp = (why) => {
        claimed.givenUp ??= why
        resolve({ status: 'given-up', why })
      }
    })
    const ended = this.#ended(work, claimed, () => this.running.delete(run))
    const run = { ended, giveUp }
    this.running.add(run)
    if (!claimed.isCommitted) keepLease({ ...this.#tools, alarm }, claimed)
    alarm.set(timeOut, monotonicNow(clock) + handlerTimeoutMs)
    const end = await Promise.race([ended, givenUp])
    alarm.clear(timeOut)
    claimed.endLease()
    return end
  }

  async #ended(work: unknown, claimed: ClaimedEvent<Transaction>, onEnd: () => void): Promise<HandlerResult> {
    const { event, attempt } = claimed.received
    let end = RETURNED
    try {
      refuseResponse(await work)
    } catch (error) {
      end = { status: 'threw', error }
    }
    onEnd()
    if (claimed.givenUp !== undefined) this.#tools.reportLateEnd(event, end, attempt.integration)
    return end
  }
}

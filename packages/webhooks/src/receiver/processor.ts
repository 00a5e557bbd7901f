import { type Clock, isEndpointEvent, isNoteEvent, type UnknownEvent, type WebhookEvent } from '@notewire/protocol'
import type { Claim, ClaimedNote, ClaimRequest, ReceiverStore } from '../stores/store.ts'
import { type AttemptHeaders, readHeaders } from '../verifier/signature-headers.ts'
import { Endings } from './endings.ts'
import { type BoundHandler, type EventHandler, type EventHandlers, type HandlerContext, handlerOf } from './handlers.ts'
import { keepLease, LEASE_MS } from './lease.ts'
import { type Logger, withFields } from './logger.ts'
import type { ProcessOutcome } from './outcome.ts'
import { claimPatiently } from './patient-claim.ts'
import type { GateMode } from './revision-gate.ts'

/** What processing needs to know. */
export interface ProcessorOptions {
  readonly on: EventHandlers
  readonly onUnknown: EventHandler<UnknownEvent> | undefined
  readonly store: ReceiverStore
  readonly scope: string
  readonly revisionGate: GateMode
  readonly dedupWindowMs: number
  readonly clock: Clock
  readonly logger: Logger
}

/** What is known of the attempt that brought an event, where one did. */
export interface Circumstances {
  readonly deadlineAt?: number | undefined
  readonly headers?: AttemptHeaders | undefined
}

/** A claim, when it was asked for, and what stops the work under it. */
interface HeldClaim {
  readonly claim: Claim
  readonly askedAt: number
  readonly stop: AbortController
}

/** Applies events once and in order of revision: claim, handler, commit; or release, when the handler fails. */
export class Processor {
  readonly #options: ProcessorOptions
  readonly #endings = new Endings()
  /**
   * The work that runs, and what stops it. Each has a controller of its own: Workers make none outside of a request, and
   * let none be looked at by another one.
   */
  readonly #running = new Map<Promise<ProcessOutcome>, AbortController>()
  #closing = false

  constructor(options: ProcessorOptions) {
    this.#options = options
  }

  /** Never rejects: what went wrong is an outcome. */
  async process(event: WebhookEvent, circumstances: Circumstances): Promise<ProcessOutcome> {
    if (this.#closing) return { status: 'closing', event }
    const stop = new AbortController()
    const work = this.#claimAndApply(event, circumstances, stop)
    this.#running.set(work, stop)
    try {
      return await work
    } catch (error) {
      return { status: 'store-failed', event, error }
    } finally {
      this.#running.delete(work)
    }
  }

  /** Aborts what runs, begins nothing more, and resolves when everything that ran has ended. */
  async close(): Promise<void> {
    const reason = new DOMException('the receiver is closing', 'AbortError')
    this.#closing = true
    for (const stop of this.#running.values()) stop.abort(reason)
    await Promise.allSettled(this.#running.keys())
  }

  async #claimAndApply(
    event: WebhookEvent,
    circumstances: Circumstances,
    stop: AbortController,
  ): Promise<ProcessOutcome> {
    const { store, clock, on, onUnknown } = this.#options
    const handler = handlerOf(event, on, onUnknown)
    const request = this.#claimRequest(event, handler !== undefined)
    try {
      const tools = { store, clock, endings: this.#endings }
      const { result, askedAt } = await claimPatiently(tools, request, stop.signal)
      if (result.status !== 'claimed') return { ...result, event }
      return await this.#apply(event, handler, { claim: result.claim, askedAt, stop }, circumstances)
    } finally {
      this.#endings.announce(request)
    }
  }

  async #apply(
    event: WebhookEvent,
    handler: BoundHandler | undefined,
    held: HeldClaim,
    circumstances: Circumstances,
  ): Promise<ProcessOutcome> {
    const { store } = this.#options
    const { claim } = held
    if (this.#closing) {
      await release(store, claim)
      return { status: 'closing', event }
    }
    const failure = handler && (await this.#run(handler, event, held, circumstances))
    if (failure !== undefined) {
      await release(store, claim)
      return failure
    }
    try {
      const committed = await store.commit(claim)
      if (committed === 'lost') return { status: 'claim-lost', event }
      return { status: handler === undefined ? 'unhandled' : 'applied', event }
    } catch (error) {
      await release(store, claim)
      return { status: 'store-failed', event, error }
    }
  }

  /** Runs the handler under its claim, which is renewed meanwhile. Gives an outcome only when the handler failed. */
  async #run(
    handler: BoundHandler,
    event: WebhookEvent,
    { claim, askedAt, stop }: HeldClaim,
    circumstances: Circumstances,
  ): Promise<ProcessOutcome | undefined> {
    const finished = new AbortController()
    let lost = false
    const lease = keepLease(this.#options, claim, askedAt, finished.signal, () => {
      lost = true
      stop.abort(new DOMException('another worker has taken the event over', 'AbortError'))
    })
    try {
      await handler(this.#contextOf(event, stop.signal, circumstances))
      return undefined
    } catch (error) {
      return lost ? { status: 'claim-lost', event } : { status: 'failed', event, error }
    } finally {
      // A reason of our own: without one, `abort` makes an exception with a stack, which every event would pay for.
      finished.abort('finished')
      await lease
    }
  }

  #contextOf(event: WebhookEvent, signal: AbortSignal, { deadlineAt, headers = {} }: Circumstances): HandlerContext {
    const fields = { event_id: event.event_id, event_type: event.event_type }
    const logger = withFields(this.#options.logger, fields)
    let read: Headers | undefined
    return {
      signal,
      deadlineAt,
      logger,
      // Made when a handler asks, since few do.
      get headers() {
        read ??= readHeaders(headers)
        return read
      },
    }
  }

  #claimRequest(event: WebhookEvent, handled: boolean): ClaimRequest {
    const { scope, revisionGate, dedupWindowMs } = this.#options
    return {
      scope,
      eventId: event.event_id,
      // What nobody handles must neither wait for its note nor raise its revision over an event that somebody does.
      note: handled ? noteOf(event) : undefined,
      gate: revisionGate,
      leaseMs: LEASE_MS,
      keepMs: dedupWindowMs,
    }
  }
}

// A kind that we do not know waits for its note, but only the four kinds of the contract are judged by revision.
function noteOf(event: WebhookEvent): ClaimedNote | undefined {
  if (isNoteEvent(event)) {
    const { note_id, revision, recording_session_id } = event.data
    return {
      noteId: note_id,
      change: { kind: event.event_type, revision, recordingSessionId: recording_session_id ?? undefined },
    }
  }
  const noteId = isEndpointEvent(event) ? undefined : event.data['note_id']
  return typeof noteId === 'string' ? { noteId } : undefined
}

// A claim that cannot be given back runs out by itself.
async function release(store: ReceiverStore, claim: Claim): Promise<void> {
  try {
    await store.release(claim)
  } catch {
    return
  }
}

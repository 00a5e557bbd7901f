import { type Clock, isEndpointEvent, monotonicNow, refuseResponse, type WebhookEvent } from '@notewire/protocol'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'
import type { AttemptContext } from './received-event.ts'
import { ANSWER_WITHIN_MS, waitAtMost } from './timers.ts'

/**
 * Takes a verified event. When it resolves, the receiver answers 204, and the service does not send the event again: resolve once the
 * event survives this process. If it rejects, or resolves
 * with a `Response`, the service sends the event again. The service may send an event twice in any case.
 */
export type EventSink = (event: WebhookEvent, context: SinkContext) => Promise<void>

/**
 * Puts a verified event into a queue. When it resolves, the receiver answers 204, and the service does not send the event again: resolve once
 * the queue has stored the event durably. If it rejects, or takes longer than 8 s, the receiver answers 503, and the service sends the event
 * again. An event may be queued twice: the store of the workers recognises it.
 *
 * @param context  the integration, which the job must contain beside the event
 */
export type EventQueue = (event: WebhookEvent, context: SinkContext) => Promise<unknown>

/** The second argument of a sink or a queue. */
export interface SinkContext {
  /** The integration of the event: `'default'` unless the receiver has others. */
  readonly integration: string
  /**
   * The time by which the sink should have resolved, in milliseconds since the Unix epoch of the receiver's clock: 8 s after the
   * delivery arrived, when the receiver answers 503, or 8 s after the call of `process`.
   */
  readonly deadlineAt: number
}

interface SinkProcessorOptions {
  readonly clock: Clock
  /** Called with each outcome. Never throws. */
  readonly reportOutcome: (outcome: ProcessOutcome, timing: ProcessTiming, integration: string) => void
}

/** Calls the sink or the queue for each event, except events about the endpoint itself, until it is closed. */
export class SinkProcessor {
  readonly #sink: EventSink | EventQueue
  readonly #options: SinkProcessorOptions
  readonly #running = new Set<Promise<ProcessOutcome>>()
  #isClosing = false
  #closed: Promise<number> | undefined

  constructor(sink: EventSink | EventQueue, options: SinkProcessorOptions) {
    this.#sink = sink
    this.#options = options
  }

  /** Never rejects: a failure is an outcome. */
  async process(event: WebhookEvent, { integration, deadlineAt }: AttemptContext): Promise<ProcessOutcome> {
    const { clock, reportOutcome } = this.#options
    const beganAt = monotonicNow(clock)
    const work = this.#call(event, { integration, deadlineAt: deadlineAt ?? clock.now() + ANSWER_WITHIN_MS })
    this.#running.add(work)
    const outcome = await work
    this.#running.delete(work)
    const isCalled = outcome.status === 'applied' || outcome.status === 'sink-failed'
    const handlerMs = isCalled ? monotonicNow(clock) - beganAt : undefined
    reportOutcome(outcome, { waitedMs: 0, handlerMs }, integration)
    return outcome
  }

  /**
   * Stops calling the sink, and waits for its running calls for up to `graceMs`. A second call resolves with the first.
   *
   * @returns how many calls still run
   */
  close(graceMs: number): Promise<number> {
    this.#closed ??= this.#waitForRunning(graceMs)
    return this.#closed
  }

  async #call(event: WebhookEvent, context: SinkContext): Promise<ProcessOutcome> {
    if (this.#isClosing) return { status: 'closing', event }
    if (isEndpointEvent(event)) return { status: 'unhandled', event }
    try {
      refuseResponse(await this.#sink(event, context))
      return { status: 'applied', event }
    } catch (error) {
      return { status: 'sink-failed', event, error }
    }
  }

  async #waitForRunning(graceMs: number): Promise<number> {
    this.#isClosing = true
    await waitAtMost(this.#options.clock, graceMs, Promise.all(this.#running))
    return this.#running.size
  }
}

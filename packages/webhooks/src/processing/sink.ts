import { type Clock, isEndpointEvent, type WebhookEvent } from '@notewire/protocol'
import { ANSWER_WITHIN_MS } from '../timing/timers.ts'
import type { Mode } from './desk.ts'
import type { EventRun } from './event-run.ts'
import type { ProcessOutcome } from './outcome.ts'

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

/** Calls the sink or the queue for each event, except events about the endpoint itself. What it has begun ends by itself. */
export class SinkMode implements Mode {
  readonly undoes = false
  readonly #sink: EventSink | EventQueue
  readonly #clock: Clock

  constructor(sink: EventSink | EventQueue, clock: Clock) {
    this.#sink = sink
    this.#clock = clock
  }

  async run(run: EventRun): Promise<ProcessOutcome> {
    const { event, attempt } = run
    if (isEndpointEvent(event)) return { status: 'unhandled', event }
    const { integration, deadlineAt = this.#clock.now() + ANSWER_WITHIN_MS } = attempt
    try {
      await run.call(() => this.#sink(event, { integration, deadlineAt }))
      return { status: 'applied', event }
    } catch (error) {
      return { status: 'sink-failed', event, error }
    }
  }
}

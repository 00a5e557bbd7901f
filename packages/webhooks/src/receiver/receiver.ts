import { isEndpointEvent, RECEIVER_DEADLINE_MS, type WebhookEvent } from '@notewire/protocol'
import type { EventQueue } from '../queues/queue.ts'
import { turnAway } from './admission.ts'
import { type Answer, answers, answerTo } from './answer.ts'
import type { BodyReading, IncomingAttempt } from './attempt.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { diagnose } from './diagnosis.ts'
import { eventIn } from './event-in.ts'
import { Observer } from './observer.ts'
import type { ProcessOutcome } from './outcome.ts'
import { Processor } from './processor.ts'
import { type ReceiverOptions, resolveReceiverOptions } from './receiver-options.ts'
import { verifierFrom } from './secret-source.ts'
import { attemptOf, responseOf } from './web-attempt.ts'

/** The service waits 10 s (contract §8); the margin is for the network. */
const ANSWER_WITHIN_MS = RECEIVER_DEADLINE_MS - 2_000

/** One endpoint's receiver: made once, and mounted by an adapter, or by itself where a handler is a `fetch` function. */
export interface Receiver {
  /**
   * Answers a Web `Request`: the handler of Next route files, `Bun.serve`, `Deno.serve`, Workers, Hono and the like. It
   * is bound, and ignores what frameworks pass beside the request.
   */
  readonly fetch: (request: Request) => Promise<Response>
  /** The integration whose events these are: the option of that name. */
  readonly scope: string
  /** Answers an attempt that an adapter presents. Never rejects. */
  readonly respond: (attempt: IncomingAttempt) => Promise<Answer>
  /**
   * Processes an event that was verified before, as workers of a queue do: claim, handler, commit. Never rejects: what
   * went wrong is an outcome.
   */
  readonly process: (event: WebhookEvent) => Promise<ProcessOutcome>
  /** Forgets that an event was processed, so that a replay of it passes again. */
  readonly forget: (eventId: string) => Promise<'forgotten' | 'unknown'>
  /**
   * Closes down: aborts the signal of running handlers, begins nothing more (503), and resolves when the last handler
   * has ended. Call it when the process is asked to stop.
   */
  readonly close: () => Promise<void>
  /** Closes the receiver at the end of an `await using` block. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Makes a receiver: it verifies every delivery (contract §5), skips events that were processed, ignores revisions that
 * are no news (§6), calls the handler of the event's kind, and answers in time (§8).
 *
 * @throws SecretError when `secret` is malformed; a missing one answers 503 instead
 * @throws OptionError when another option cannot work, naming it and the fix
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   on: {
 *     'note.ended': async ({ data }) => console.log('fetch the transcript of', data.note_id),
 *     'note.deleted': async ({ data }) => console.log('remove', data.note_id),
 *   },
 * })
 *
 * export const POST = receiver.fetch
 * ```
 */
export function createReceiver<Transaction = never>(options: ReceiverOptions<Transaction>): Receiver {
  const { hooks, maxBodyBytes, path, queue, secret, toleranceSeconds, waitUntil, ...processing } =
    resolveReceiverOptions(options)
  const { clock, logger, scope, store } = processing
  const observer = new Observer({ hooks, logger })
  const findVerifier = verifierFrom(secret, { clock, toleranceSeconds }, observer)
  const processor = new Processor({ ...processing, tellOutcome: observer.outcome })

  async function respond(attempt: IncomingAttempt): Promise<Answer> {
    const refusal = turnAway(attempt, path, maxBodyBytes)
    if (refusal !== undefined) return refusal
    const deadline = startDeadline(clock, ANSWER_WITHIN_MS)
    try {
      const reading = await attempt.readBody(maxBodyBytes, deadline.passed)
      return reading.status === 'read' ? await accept(attempt, reading.bytes, deadline) : answerUnread(reading.status)
    } catch (error) {
      observer.broken(error)
      return answers.broken
    } finally {
      deadline.callOff()
    }
  }

  async function accept(attempt: IncomingAttempt, body: Uint8Array, deadline: Deadline): Promise<Answer> {
    const found = findVerifier()
    const verify = found instanceof Promise ? await deadline.race(found, secretLate) : found
    if (verify === undefined) return answers.noSecret
    const verification = await verify(body, attempt.headers)
    if (verification.status === 'refused') {
      observer.refused(await diagnose(verification, verify, body, attempt.headers))
      return answers.unverified
    }
    observer.verified(verification)
    const reading = eventIn(body)
    if (reading.status === 'malformed') {
      observer.malformed(reading.problem)
      return answers.malformed
    }
    const { event } = reading
    // Whether the endpoint is there is asked of this process, and not of a worker.
    if (queue !== undefined && !isEndpointEvent(event)) return await handOver(queue, event, deadline)
    const work = processor.process(event, { deadlineAt: deadline.at, headers: attempt.headers }).then(answerTo)
    return await deadline.race(work, () => {
      observer.overdue(event)
      observer.guard(() => (attempt.waitUntil ?? waitUntil)?.(work))
      return answers.overdue
    })
  }

  async function handOver(queue: EventQueue, event: WebhookEvent, deadline: Deadline): Promise<Answer> {
    try {
      const handedOver = queue.enqueue(scope, event).then(() => {
        observer.queued(event)
        return answers.processed
      })
      return await deadline.race(handedOver, () => {
        observer.queueLate(event)
        return answers.notQueued
      })
    } catch (error) {
      observer.queueFailed(event, error)
      return answers.notQueued
    }
  }

  function secretLate(): undefined {
    observer.secretLate()
  }

  function answerUnread(status: Exclude<BodyReading['status'], 'read'>): Answer {
    switch (status) {
      case 'too-large':
        return answers.tooLarge
      case 'too-slow':
        return answers.tooSlow
      case 'incomplete':
        return answers.incomplete
      case 'already-parsed':
        observer.alreadyParsed()
        return answers.alreadyParsed
    }
  }

  return {
    fetch: async (request) => responseOf(await respond(attemptOf(request))),
    scope,
    respond,
    process: (event) => processor.process(event, {}),
    forget: (eventId) => store.forget(scope, eventId),
    close: () => processor.close(),
    [Symbol.asyncDispose]: () => processor.close(),
  }
}

import { isEndpointEvent, isIdentifier, refuseUnknownOptions, type WebhookEvent } from '@notewire/protocol'
import { type CheckedHeaders, checkHeaders } from '../verifier/header-check.ts'
import { turnAway } from './admission.ts'
import { type Answer, answers, answerTo } from './answer.ts'
import type { BodyReading, IncomingAttempt } from './attempt.ts'
import { ANSWER_WITHIN_MS, Deadline } from './deadline.ts'
import { createDiagnosis } from './diagnosis.ts'
import { eventFrom, eventIn } from './event-in.ts'
import { Observer } from './observer.ts'
import { refuseGraceThatCannotBe } from './option-checks.ts'
import type { ProcessOutcome } from './outcome.ts'
import { Processor } from './processor.ts'
import { type ReceiverOptions, resolveReceiverOptions, type SinkReceiverOptions } from './receiver-options.ts'
import { signatureCheckFrom } from './secret-source.ts'
import { type EventSink, SinkProcessor } from './sink.ts'
import { attemptOf, responseOf } from './web-attempt.ts'

/** One endpoint's receiver: made once, and mounted by an adapter, or by itself where a handler is a `fetch` function. */
export interface Receiver {
  /**
   * Answers a Web `Request`: the handler of Next route files, `Bun.serve`, `Deno.serve`, Workers, Hono and the like. It
   * is bound, and ignores what frameworks pass beside the request.
   */
  readonly fetch: (request: Request) => Promise<Response>
  /** The integration whose events these are: the option of that name. */
  readonly integration: string
  /** Answers an attempt that an adapter presents. Never rejects. */
  readonly respond: (attempt: IncomingAttempt) => Promise<Answer>
  /**
   * Processes an event that was verified before, as workers of a queue do: claim, handler, commit; or gives it to the sink.
   * Never rejects: what went wrong is an outcome. The event is read as the body of a delivery is: `malformed` where it is none.
   */
  readonly process: (event: WebhookEvent) => Promise<ProcessOutcome>
  /**
   * Forgets that an event was processed, so that a replay of it passes again. `unknown` for an event that was not processed;
   * an identifier that no event can have is one of none. A receiver with a sink remembers no event.
   */
  readonly forget: (eventId: string) => Promise<'forgotten' | 'unknown'>
  /**
   * Closes the receiver: the signals of running handlers fire, no handler, sink or queue is called any more (503), and those
   * that run have `graceMs` to end. Then the claims of those that still run are given up, so that other instances can process their
   * events; `context.commit` rejects what they do after that. Call it when the process is asked to stop. A second call
   * resolves with the first.
   *
   * Resolves once every handler has ended, or after `graceMs` and the one operation of the store that gives the claims up:
   * at most 5 s later.
   *
   * @returns how many handlers, sinks and calls of the queue still run
   * @throws OptionError when `graceMs` cannot work
   */
  readonly close: (options?: CloseOptions) => Promise<number>
  /** Closes the receiver at the end of an `await using` block, with the default `graceMs`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** What `close` of a receiver takes. */
export interface CloseOptions {
  /**
   * How long running handlers may take to end, in milliseconds.
   *
   * @default 10_000
   */
  readonly graceMs?: number | undefined
}

/**
 * Makes a receiver: it verifies every delivery (contract §5), skips events that were processed, ignores revisions that
 * are no news (§6), calls the handler of the event's kind, and answers in time (§8). With the option `sink`, it gives every
 * verified event to one function instead, also repeated and stale events.
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
export function createReceiver<Transaction = never>(
  options: ReceiverOptions<Transaction> | SinkReceiverOptions,
): Receiver {
  const {
    hooks,
    maxBodyBytes,
    path,
    queue,
    queuedHandlerTimeoutMs,
    secret,
    sink,
    toleranceSeconds,
    waitUntil,
    ...processing
  } = resolveReceiverOptions(options)
  const { clock, logger, integration, store } = processing
  const observer = new Observer({ hooks, logger, clock })
  const findSignatureCheck = signatureCheckFrom(secret, observer)
  const diagnose = createDiagnosis(clock)
  const reporting = { tellOutcome: observer.outcome, tellLateEnd: observer.lateEnd }
  const processor =
    sink === undefined
      ? new Processor({ ...processing, ...reporting })
      : new SinkProcessor(sink, { ...processing, ...reporting })
  const queueSink: EventSink | undefined = queue && ((event, { integration }) => queue.enqueue(integration, event))
  // The outcome of a queued event is reported by the worker that processes it.
  const queueing = queueSink && new SinkProcessor(queueSink, { ...processing, tellOutcome: observer.queued })

  async function respond(attempt: IncomingAttempt): Promise<Answer> {
    const answer = await answerOf(attempt)
    observer.answered(answer)
    return answer
  }

  async function answerOf(attempt: IncomingAttempt): Promise<Answer> {
    try {
      const turnedAway = turnAway(attempt, path, maxBodyBytes)
      if (turnedAway !== undefined) return turnedAway
      // Before the secret is asked for and the body is read: a request that nobody signed gets neither.
      const checked = checkHeaders(attempt.headers, { toleranceSeconds, clock })
      if (checked.status === 'checked') return await readAndAccept(attempt, checked)
      observer.refused(checked)
      return answers.unverified
    } catch (error) {
      observer.broken(error)
      return answers.broken
    }
  }

  async function readAndAccept(attempt: IncomingAttempt, headers: CheckedHeaders): Promise<Answer> {
    const deadline = new Deadline(clock, ANSWER_WITHIN_MS)
    try {
      const reading = await attempt.readBody(maxBodyBytes, deadline.passed)
      if (reading.status !== 'read') return answerUnread(reading.status)
      return await accept(attempt, headers, reading.bytes, deadline)
    } finally {
      deadline.cancel()
    }
  }

  async function accept(
    attempt: IncomingAttempt,
    headers: CheckedHeaders,
    body: Uint8Array,
    deadline: Deadline,
  ): Promise<Answer> {
    const found = findSignatureCheck()
    const check = found instanceof Promise ? await deadline.race(found, secretLate) : found
    if (check === undefined) return answers.noSecret
    const verification = await check(body, headers)
    if (verification.status === 'refused') {
      observer.refused(await diagnose(verification, check, body, headers))
      return answers.unverified
    }
    observer.verified(verification)
    const reading = eventIn(body)
    if (reading.status === 'malformed') {
      observer.malformed(reading.problem)
      return answers.malformed
    }
    const { event } = reading
    observer.drifted(event, reading.drift)
    // Events about the endpoint itself are not queued: this process answers whether the endpoint works.
    if (queueing !== undefined && !isEndpointEvent(event)) return await enqueue(queueing, event, deadline)
    const work = processor.process(event, { deadlineAt: deadline.at, headers: attempt.headers }).then(answerTo)
    return await deadline.race(work, () => {
      observer.overdue(event, sink === undefined ? 'handler' : 'sink')
      observer.guard(() => (attempt.waitUntil ?? waitUntil)?.(work))
      return answers.overdue
    })
  }

  async function enqueue(queueing: SinkProcessor, event: WebhookEvent, deadline: Deadline): Promise<Answer> {
    const enqueued = queueing.process(event, { deadlineAt: deadline.at })
    const outcome = await deadline.race<ProcessOutcome | undefined>(enqueued, () => undefined)
    if (outcome === undefined) {
      observer.queueLate(event)
      return answers.notQueued
    }
    if (outcome.status !== 'sink-failed') return answerTo(outcome)
    observer.queueFailed(event, outcome.error)
    return answers.notQueued
  }

  async function close(given?: CloseOptions): Promise<number> {
    // `process.once('SIGTERM', receiver.close)` passes the name of the signal.
    const options: CloseOptions = typeof given === 'object' ? given : {}
    refuseUnknownOptions('close', options, ['graceMs'])
    const { graceMs = 10_000 } = options
    refuseGraceThatCannotBe(graceMs)
    const [processing, enqueuing] = await Promise.all([processor.close(graceMs), queueing?.close(graceMs)])
    return processing + (enqueuing ?? 0)
  }

  async function processGiven(event: WebhookEvent): Promise<ProcessOutcome> {
    const reading = eventFrom(event)
    if (reading.status === 'malformed') {
      observer.malformed(reading.problem)
      return { status: 'malformed', event, problem: reading.problem }
    }
    observer.drifted(reading.event, reading.drift)
    return await processor.process(reading.event, { handlerTimeoutMs: queuedHandlerTimeoutMs })
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
    integration,
    respond,
    process: processGiven,
    forget: async (eventId) => (isIdentifier(eventId) ? await store.forget(integration, eventId) : 'unknown'),
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  }
}

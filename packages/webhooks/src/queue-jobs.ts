import {
  isBytes,
  isIntegrationId,
  NotewireError,
  OptionError,
  ShapeError,
  traceOf,
  type WebhookEvent,
} from '@notewire/protocol'
import { readEvent } from '@notewire/protocol/schemas'
import type { ProcessOutcome } from './processing/outcome.ts'

/** The content of a job. It contains nothing else of the request: neither headers nor secrets. */
export interface QueuedEvent {
  readonly integration: string
  readonly event: WebhookEvent
}

/**
 * Reads what came out of a queue. Every program that reaches the queue can add jobs, so the content is checked like the body of a delivery.
 * Pass the integration to `receiver.process`, which refuses an event of another integration.
 *
 * @param job  what the option `queue` put in: an object with `integration` and `event`
 * @throws EventNotAppliedError if it is not that: the job fails, and no event is processed
 */
export function queuedEvent(job: unknown): QueuedEvent {
  const { integration, event }: { integration?: unknown; event?: unknown } =
    typeof job === 'object' && job !== null ? job : {}
  if (!isIntegrationId(integration)) {
    const wrong = whatInsteadOfJob(job)
    if (wrong !== undefined) throw new EventNotAppliedError(wrong)
    throw new EventNotAppliedError('the job does not contain the id of an integration.')
  }
  try {
    return { integration, event: readEvent(event) }
  } catch (error) {
    const problem = error instanceof ShapeError ? error.message : 'the event could not be read.'
    throw new EventNotAppliedError(`the job does not contain a valid event: ${problem}`)
  }
}

function whatInsteadOfJob(job: unknown): string | undefined {
  if (typeof job === 'string') return 'the job is a text. Parse it first: queuedEvent(JSON.parse(text)).'
  if (isBytes(job))
    return 'the job is bytes. Parse them first: queuedEvent(JSON.parse(new TextDecoder().decode(bytes))).'
  if (typeof (job as Partial<PromiseLike<unknown>> | null)?.then === 'function')
    return 'the job is a promise. Await it.'
  const { data, body, payload }: Readonly<Record<string, unknown>> = Object(job)
  if (typeof data === 'object' && data !== null) return 'the job is a job of the queue. Pass its content: job.data.'
  if (typeof (body ?? payload ?? data) !== 'string') return undefined
  return 'the job is a message of the queue. Pass its content: queuedEvent(JSON.parse(message.body)).'
}

// In the output of `JSON.stringify`: an escaped backslash, or a character that `jsonb` rejects.
const BACKSLASH_OR_UNSTORABLE = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g

/**
 * The event with U+FFFD in place of NUL and lone surrogates, which PostgreSQL cannot store in `jsonb`. Otherwise it would refuse the event each
 * time that the service sends it, and the failures would disable the endpoint. Identifiers contain neither.
 *
 * @throws OptionError if it is given no event
 */
export function storable(event: WebhookEvent): WebhookEvent {
  if (typeof event?.event_type !== 'string')
    throw new OptionError('event', 'storable needs an event. Pass the event of a handler or of the option queue.')
  const json = JSON.stringify(event)
  const text = json.replace(BACKSLASH_OR_UNSTORABLE, (found) => (found === '\\\\' ? found : '\ufffd'))
  return text === json ? event : JSON.parse(text)
}

/** What a worker does with the job of an event that `receiver.process` has processed. */
export type JobResult =
  /** The event was applied, or needs no handler: complete the job. */
  | { readonly status: 'done' }
  /** An attempt has failed: let the job fail with this error, which the queue may store and show. */
  | { readonly status: 'again'; readonly error: EventNotAppliedError }
  /** Nothing has failed: run the job after `delayMs`, if the queue can without counting an attempt. */
  | { readonly status: 'later'; readonly delayMs: number }

const BUSY_MS = 3_000
/** Longer, because a store that fails rarely answers again within seconds. */
const STORE_FAILED_MS = 20_000

/**
 * Says what an outcome of `receiver.process` means for the job of the event.
 *
 * `done`: applied, duplicate, stale, or no handler for its kind. `again`: the handler failed or took too long, or the event is malformed.
 * `later`: another event of the note is being processed, the store does not answer, or the receiver is closing. Half of each delay is random.
 *
 * @throws OptionError if it is given no outcome, such as a promise of one
 * @example
 * ```ts
 * import { createReceiver, jobResult, queuedEvent } from '@notewire/webhooks'
 *
 * const receiver = createReceiver({ secret: () => process.env['NOTES_SIGNING_SECRET'], on: {} })
 *
 * export async function work(job: { data: unknown }): Promise<void> {
 *   const { event, integration } = queuedEvent(job.data)
 *   const result = jobResult(await receiver.process(event, { integration }))
 *   if (result.status === 'again') throw result.error
 *   if (result.status === 'later') console.log('run the job again after', result.delayMs, 'ms')
 * }
 * ```
 */
export function jobResult(outcome: ProcessOutcome): JobResult {
  switch (outcome?.status) {
    case 'applied':
    case 'unhandled':
    case 'duplicate':
    case 'stale':
      return { status: 'done' }
    case 'malformed':
      return again(`the job does not contain a valid event: ${outcome.problem}`)
    case 'failed':
    case 'sink-failed':
      return again(`the handler failed: ${nameOf(outcome.error)}`)
    case 'handler-timeout':
      return again('the handler took longer than handlerTimeoutMs.')
    case 'busy':
    case 'claim-lost':
    case 'closing':
      return { status: 'later', delayMs: spread(BUSY_MS) }
    case 'store-failed':
      return { status: 'later', delayMs: spread(STORE_FAILED_MS) }
    default:
      throw new OptionError('outcome', 'jobResult needs an outcome. Pass what `await receiver.process(…)` returns.')
  }
}

/**
 * Why an attempt of a queued event failed. A queue may store and show it: it contains only the name of the handler's error, and neither that
 * error nor its message, which may quote a note or a key. The receiver passes the error to its log and hooks.
 */
export class EventNotAppliedError extends NotewireError<'event_not_applied'> {
  constructor(why: string) {
    super('event_not_applied', `${why} Correct the cause, and let the queue run the job again.`)
  }
}

function again(why: string): JobResult {
  return { status: 'again', error: new EventNotAppliedError(why) }
}

function nameOf(thrown: unknown): string {
  const { error, code, problem } = traceOf(thrown, 'it')
  if (error === undefined) return String(problem)
  return code === undefined ? `${error}.` : `${error} ${code}.`
}

function spread(ms: number): number {
  return ms * (0.5 + Math.random())
}

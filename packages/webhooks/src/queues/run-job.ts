import { isIntegrationId, NotewireError, ShapeError } from '@notewire/protocol'
import { readEvent } from '@notewire/protocol/schemas'
import type { Logger } from '../interfaces/logger.ts'
import type { QueuedEvent } from '../interfaces/queue.ts'
import { traceOf } from '../observing/error-trace.ts'
import type { ProcessOutcome } from '../processing/outcome.ts'
import type { Receiver, ReceiverOfMany } from '../receiver/receiver-interface.ts'

/** What the engine must do with a job after it has run. */
export type Settlement =
  | { readonly status: 'complete' }
  /** The job has used an attempt. */
  | { readonly status: 'retry'; readonly error: EventNotAppliedError }
  /** The job runs again later, without using an attempt. */
  | { readonly status: 'postpone'; readonly delayMs: number }

/** The members of a receiver that a worker uses. A receiver of many processes the jobs of every integration. */
export type ProcessingReceiver =
  | Pick<Receiver, 'process' | 'integration'>
  | (Pick<ReceiverOfMany, 'process'> & { readonly integration?: undefined })

const POSTPONED_MS = 3_000
/** Longer, because a store that fails rarely answers again within seconds. */
const STORE_FAILED_MS = 20_000

/** Processes the event of a job. Never rejects. */
export async function runJob(receiver: ProcessingReceiver, job: unknown, logger: Logger): Promise<Settlement> {
  const queued = queuedIn(job, receiver.integration)
  if (!(queued instanceof EventNotAppliedError)) {
    // A receiver of one integration ignores the second argument.
    return settlementOf(await receiver.process(queued.event, queued))
  }
  logger.error('a queued job does not belong to this receiver', { problem: queued.message })
  return { status: 'retry', error: queued }
}

/** What each outcome means for a job. */
function settlementOf(outcome: ProcessOutcome): Settlement {
  switch (outcome.status) {
    case 'applied':
    case 'unhandled':
    case 'duplicate':
    case 'stale':
      return { status: 'complete' }
    case 'malformed':
      return {
        status: 'retry',
        error: new EventNotAppliedError(`the job does not contain a valid event: ${outcome.problem}`),
      }
    case 'failed':
    case 'sink-failed':
      return { status: 'retry', error: new EventNotAppliedError(`the handler failed: ${nameOf(outcome.error)}`) }
    case 'handler-timeout':
      return { status: 'retry', error: new EventNotAppliedError('the handler took longer than handlerTimeoutMs.') }
    case 'busy':
    case 'claim-lost':
    case 'closing':
      return { status: 'postpone', delayMs: spread(POSTPONED_MS) }
    case 'store-failed':
      return { status: 'postpone', delayMs: spread(STORE_FAILED_MS) }
  }
}

// Every client of the engine can add jobs, and the revisions of one integration must not gate those of another.
function queuedIn(job: unknown, expected: string | undefined): QueuedEvent | EventNotAppliedError {
  const { integration, event }: { integration?: unknown; event?: unknown } =
    typeof job === 'object' && job !== null ? job : {}
  if (!isIntegrationId(integration))
    return new EventNotAppliedError('the job does not contain the id of an integration.')
  if (expected !== undefined && integration !== expected) {
    return new EventNotAppliedError(
      `the integration of the job is not "${expected}", the integration of this worker's receiver. Use a separate queue for each ` +
        'receiver of one integration, or a receiver whose secret function takes the integration.',
    )
  }
  try {
    return { integration, event: readEvent(event) }
  } catch (error) {
    const problem = error instanceof ShapeError ? error.message : 'the event could not be read.'
    return new EventNotAppliedError(`the job does not contain a valid event: ${problem}`)
  }
}

function nameOf(thrown: unknown): string {
  const { error, code, problem } = traceOf(thrown, 'it')
  if (error === undefined) return String(problem)
  return code === undefined ? `${error}.` : `${error} ${code}.`
}

function spread(ms: number): number {
  return ms * (0.5 + Math.random())
}

/**
 * Why an attempt of a queued event failed. The engine stores this error, so it contains only the name of the handler's error, and neither
 * that error nor its message, which may quote a note or a key. The receiver passes the error to its log and hooks.
 */
export class EventNotAppliedError extends NotewireError<'event_not_applied'> {
  constructor(why: string) {
    super(
      'event_not_applied',
      `${why} The queue retries the event until its attempts are used up; then the event is a dead letter, which you can replay.`,
    )
  }
}
